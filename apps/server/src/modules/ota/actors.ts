import type { Actor } from '../../lib/context.ts'

/** The member or API key that asked, as a row stores it. */
export function storedActor(actor: Actor): Record<string, unknown> {
  return actor.kind === 'system' ? { ...actor } : { ...actor, permissions: [...actor.permissions] }
}

export function actorOf(stored: Record<string, unknown>): Actor {
  const { permissions, ...rest } = stored
  const actor: unknown = rest.kind === 'system' ? rest : { ...rest, permissions: new Set(permissions as string[]) }
  return actor as Actor
}

/** Whether somebody may still bring firmware to devices. */
export function mayDeploy(actor: Actor): boolean {
  return actor.kind === 'system' || actor.permissions.has('firmware:deploy')
}
