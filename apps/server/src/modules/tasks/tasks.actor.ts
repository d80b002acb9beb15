import type { Actor, Ctx, Locale } from '../../lib/context.ts'
import type { StoredActor, TaskRow } from './tasks.repo.ts'

/** An actor for storage; `actorOf` reads it back. */
export function storedActor(actor: Actor): StoredActor {
  return actor.kind === 'system' ? { ...actor } : { ...actor, permissions: [...actor.permissions] }
}

export function actorOf(stored: StoredActor): Actor {
  const { permissions, ...rest } = stored
  const actor: unknown = stored.kind === 'system' ? rest : { ...rest, permissions: new Set(permissions as string[]) }
  return actor as Actor
}

/** The context in which a task works: time goes on while it runs, and whoever started it may come to have other rights. */
export function taskContext(task: TaskRow, actor: () => Actor, now: () => number): Ctx {
  return {
    tenantId: task.tenantId,
    get actor() {
      return actor()
    },
    locale: task.locale as Locale,
    requestId: task.id,
    ...(task.ip === null ? {} : { ip: task.ip }),
    get now() {
      return now()
    },
  }
}
