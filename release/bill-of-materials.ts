import { run } from '../src/host/tools/run.ts'
import type { Dependency } from './dependencies.ts'

type Component = { name: string; version: string; 'bom-ref': string }
type Bill = {
  serialNumber?: string
  metadata: { timestamp: string; component: Component }
  components: Component[]
  dependencies: { ref: string; dependsOn: string[] }[]
}

/**
 * Returns npm's software bill of materials (CycloneDX) of the release's content, without the serial
 * number and time, which would differ each time.
 */
export async function billOfMaterials(
  root: string,
  dependencies: readonly Dependency[],
  builtAt: Date,
): Promise<string> {
  // Not with --omit dev: npm then also leaves out dependencies that development shares.
  const words = ['--sbom-format', 'cyclonedx', '--package-lock-only']
  const outputLimit = 20_000_000
  const text = await run('npm', ['--prefix', root, 'sbom', ...words], {
    timeoutMs: 120_000,
    outputLimit,
  })
  const { serialNumber: _, ...bill } = JSON.parse(text) as Bill
  const included = new Set(dependencies.map(({ name, version }) => `${name}@${version}`))
  const components = bill.components.filter(({ name, version }) =>
    included.has(`${name}@${version}`),
  )
  const refs = new Set([
    bill.metadata.component['bom-ref'],
    ...components.map(one => one['bom-ref']),
  ])
  const links = bill.dependencies
    .filter(({ ref }) => refs.has(ref))
    .map(({ ref, dependsOn }) => ({ ref, dependsOn: dependsOn.filter(other => refs.has(other)) }))
  const metadata = {
    ...bill.metadata,
    timestamp: builtAt.toISOString(),
    component: { ...bill.metadata.component, name: 'panel' },
  }
  return `${JSON.stringify({ ...bill, metadata, components, dependencies: links }, null, 2)}\n`
}
