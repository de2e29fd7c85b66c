import type { Machine } from './machine.ts'

// The machine's services, in the words of whoever keeps them: systemd.

/** Has a service read its configuration again, without ending what it does. */
export async function reload(machine: Machine, unit: string): Promise<void> {
  await machine.run('systemctl', ['reload', '--', unit])
}

/** Starts a unit. `systemctl enable` would have systemd read all its units again: 0.2 s. */
export async function start(machine: Machine, unit: string): Promise<void> {
  await machine.run('systemctl', ['start', '--', unit])
}

/** Stops units; those that never ran are stopped already. */
export async function stop(machine: Machine, ...units: string[]): Promise<void> {
  await machine.run('systemctl', ['stop', '--', ...units])
}

/** Has a unit read its configuration again if it runs. */
export async function refresh(machine: Machine, unit: string): Promise<void> {
  await machine.run('systemctl', ['try-reload-or-restart', '--', unit])
}

/** Gives a running unit its limits at once; its files hold them for the next start. */
export async function setProperties(
  machine: Machine,
  unit: string,
  properties: readonly string[],
): Promise<void> {
  await machine.run('systemctl', ['set-property', '--runtime', '--', unit, ...properties])
}

/** Makes new and changed unit files known. */
export async function readUnits(machine: Machine): Promise<void> {
  await machine.run('systemctl', ['daemon-reload'])
}
