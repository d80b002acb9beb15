import type { ChannelKind, ChannelProvider } from '@thingwright/contracts/contacts.words'
import { systemContext } from '../../lib/context.ts'
import type { CryptoBox } from '../../lib/crypto/crypto-box.ts'
import type { Database } from '../../lib/database/database.ts'
import { NO_SIMULATORS } from './channel.port.ts'
import { CHANNELS_SEAL, ChannelSecrets } from './channel-secrets.ts'
import { createChannelsService } from './channels.service.ts'
import words from './contact-words.json' with { type: 'json' }
import { createPolicyService } from './policy.service.ts'

const NAMES = Object.entries(words.zh.channels) as [`${ChannelKind}.${ChannelProvider}`, string][]
/** The robots are notified of alarms of this level and above. */
const GRAVE = 4

/** Accounts of the demo company at the simulators of this server. An account that was removed or changed since is left so. */
export async function seedDemoChannels(
  database: Database,
  tenantId: string,
  seal: (purpose: string) => CryptoBox,
): Promise<void> {
  const ctx = systemContext(tenantId, 'demo')
  const now = () => Date.now()
  const channels = createChannelsService({
    database,
    secrets: new ChannelSecrets(seal(CHANNELS_SEAL)),
    simulators: { ...NO_SIMULATORS, available: true },
    sendNow: async () => {},
    now,
  })
  const policy = createPolicyService({ database, now })
  const told = await policy.get(ctx)
  if (told.version > 0 || (await channels.list(ctx, { limit: 1 })).items.length > 0) return
  const robots: string[] = []
  for (const [way, name] of NAMES) {
    const [kind, provider] = way.split('.') as [ChannelKind, ChannelProvider]
    const { id } = await channels.create(ctx, { name, kind, provider, simulated: true })
    if (provider === 'robot') robots.push(id)
  }
  const { version, recovery, quiet, escalation } = told
  const levels = told.levels.map(({ level, channels: ways }) => ({
    level,
    channels: level >= GRAVE ? ['inbox', ...ways, ...robots] : ways,
  }))
  await policy.set(ctx, { levels, recovery, quiet, escalation, version })
}
