import type pg from 'pg'
import { type Consumer, rowsConsumer } from '../ingest/consumers/consumer.ts'
import { createOtaConsumer } from '../ingest/consumers/ota.consumer.ts'
import { createPresenceConsumer } from '../ingest/consumers/presence.consumer.ts'
import { createReadBackConsumer } from '../ingest/consumers/read-back.consumer.ts'
import { createRepliesConsumer } from '../ingest/consumers/replies.consumer.ts'
import { createShadowConsumer } from '../ingest/consumers/shadow.consumer.ts'
import { createStatsConsumer } from '../ingest/consumers/stats.consumer.ts'
import { createStoreConsumer } from '../ingest/consumers/store/store.consumer.ts'
import { systemClock } from '../lib/clock.ts'
import type { Logger } from '../lib/log.ts'
import type { ModuleParts } from '../lib/module.ts'
import type { ChangedCommand, Tell } from '../lib/news.ts'

export interface ConsumerNeeds {
  db: pg.Pool
  logger: Logger
  tell: Tell
  modules: readonly Pick<ModuleParts, 'consumers'>[]
}

/** Everything that reads the journal in order, each with a place of its own in it: that of the device path, then what modules bring. */
export function journalConsumers({ db, logger, tell, modules }: ConsumerNeeds): Consumer[] {
  const commandsChanged = (commands: ChangedCommand[]) => tell('commands.changed', { commands })
  return [
    createStoreConsumer({ db, clock: systemClock, logger }),
    createRepliesConsumer(commandsChanged),
    createReadBackConsumer(commandsChanged),
    createShadowConsumer(),
    createPresenceConsumer(devices => tell('devices.activated', { devices })),
    createStatsConsumer(),
    createOtaConsumer(),
    ...modules.flatMap(module => module.consumers ?? []).map(rowsConsumer),
  ]
}
