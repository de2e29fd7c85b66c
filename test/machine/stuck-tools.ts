import { listProcesses, type Process } from '../../src/host/accounts/user-processes.ts'

/** While a tool runs: it has done nothing yet, or all of its work, and does not end. */
export const toolMoments = ['inTool', 'afterTool'] as const
export type ToolMoment = (typeof toolMoments)[number]

/** The stand-ins of tools that don't end (fixtures/staged-tools.ts), run by any process. */
export const stuckTools = (): Process[] => listProcesses().filter(({ name }) => name === 'sleep')
