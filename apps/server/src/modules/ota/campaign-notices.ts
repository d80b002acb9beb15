import type { TenantScope } from '../../lib/database/database.ts'
import type { Inbox } from '../notifications/index.ts'
import type { CampaignRow } from './campaigns.repo.ts'
import words from './ota-words.json' with { type: 'json' }

/** Tells whoever started a campaign what became of it, in the transaction of the change. */
export async function tellOwner(
  scope: TenantScope,
  inbox: Inbox,
  row: CampaignRow,
  what: keyof (typeof words)['zh']['notices'],
  facts: Record<string, number> = {},
): Promise<void> {
  const fill = (text: string) =>
    text.replaceAll(/\{(\w+)\}/g, (_, name: string) => String(name === 'name' ? row.name : (facts[name] ?? '')))
  const { zh, en } = { zh: words.zh.notices[what], en: words.en.notices[what] }
  await inbox.notify(scope, {
    tenantId: row.tenantId,
    to: row.ownerId ? { loginIds: [row.ownerId] } : { permission: 'firmware:deploy' },
    kind: `ota_campaign.${what}`,
    title: { zh: zh.title, en: en.title },
    text: { zh: fill(zh.text), en: fill(en.text) },
    link: `/develop/FirmwareUpdate?campaign=${row.id}`,
    level: what === 'completed' ? 'info' : 'error',
  })
}
