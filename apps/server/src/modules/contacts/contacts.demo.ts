import type { ChannelKind, ChannelProvider } from '@thingwright/contracts/contacts.words'
import { type Ctx, systemContext } from '../../lib/context.ts'
import type { CryptoBox } from '../../lib/crypto/crypto-box.ts'
import type { Database } from '../../lib/database/database.ts'
import { NO_SIMULATORS } from './channel.port.ts'
import { CHANNELS_SEAL, ChannelSecrets } from './channel-secrets.ts'
import { createChannelsService } from './channels.service.ts'
import words from './contact-words.json' with { type: 'json' }
import { createPolicyService } from './policy.service.ts'
import { SIMULATED_TEMPLATE } from './sender.ts'
import { createTemplatesService } from './templates.service.ts'

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
  await nameAppletTemplate(database, ctx)
}

/** Messages of the mini-program use the template that its simulated owner has at WeChat. */
async function nameAppletTemplate(database: Database, ctx: Ctx): Promise<void> {
  const templates = createTemplatesService({
    database,
    timeZone: async () => 'Asia/Shanghai',
    consoleUrl: () => '',
    sendNow: async () => {},
    now: () => Date.now(),
  })
  for (const { channel, event, locale, body, version } of (await templates.list(ctx)).items)
    if (channel === 'applet' && version === 0)
      await templates.set(ctx, { channel, event, locale }, { body, code: SIMULATED_TEMPLATE, version })
}
