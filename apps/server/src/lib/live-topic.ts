import type { LiveTopicPattern } from '@thingwright/contracts/live-topics'
import type { Actor, Ctx } from './context.ts'
import type { TenantScope } from './database/database.ts'
import type { Hearing } from './news.ts'

/** Tells those who follow a topic by its name: the object, and what is different of it. */
export type PublishChange = (name: string, id: string, patch: Record<string, unknown>) => void

/** A follower of a topic; that he has its right was checked before. */
export interface TopicCaller {
  tenantId: string
  actor: Actor
}

/**
 * A topic of the live socket that is no device's. What is published under it comes from news: `live.changed` with the name
 * that `nameFor` gives those who shall hear it, or whatever `hears` makes of other news.
 */
export interface LiveTopic {
  pattern: LiveTopicPattern
  /** Its name inside the hub, with the company or the person in it: what is published under it never crosses them. */
  nameFor(caller: TopicCaller): string | null
  /** What a subscriber gets first, as the API would answer it now; absent: what happens from now on. */
  snapshot?(ctx: Ctx): Promise<unknown>
  /** Of its objects, which are no devices: those that a caller with a narrow data scope may see. */
  visible?(scope: TenantScope, ids: readonly string[]): Promise<readonly string[]>
  hears?(publish: PublishChange): Hearing
}
