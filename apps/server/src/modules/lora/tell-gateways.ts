import type { SystemScope } from '../../lib/database/database.ts'
import { partsIn } from '../../lib/zoned-time.ts'
import type { Inbox } from '../notifications/index.ts'
import { type ConnectionRow, timeZoneOf } from './connections.repo.ts'
import type { LnsGatewayItem } from './lns.port.ts'
import words from './lora-words.json' with { type: 'json' }

/** Tells those who see LoRa gateways that some went offline or came back. */
export async function tellGateways(
  scope: SystemScope,
  inbox: Inbox,
  { tenantId }: Pick<ConnectionRow, 'tenantId'>,
  changed: readonly { id: string; item: LnsGatewayItem }[],
): Promise<void> {
  const told = changed.filter(({ item }) => item.state !== 'never_seen')
  if (told.length === 0) return
  const zone = await timeZoneOf(scope, tenantId)
  for (const { id, item } of told) {
    const kind = item.state === 'offline' ? 'offline' : 'online'
    const fill = (locale: 'zh' | 'en') =>
      words[locale].alerts[kind].text
        .replace('{name}', () => item.name)
        .replace('{gatewayId}', item.gatewayId)
        .replace('{lastSeen}', item.lastSeenAt ? shown(item.lastSeenAt, zone) : words[locale].alerts.never)
    await inbox.notify(scope, {
      tenantId,
      to: { permission: 'lora:read' },
      kind: `lora_gateway.${kind}`,
      title: { zh: words.zh.alerts[kind].title, en: words.en.alerts[kind].title },
      text: { zh: fill('zh'), en: fill('en') },
      link: `/ChirpStack/Gateways/edit?id=${id}`,
      level: kind === 'offline' ? 'warning' : 'info',
    })
  }
}

/** `2026-11-20 08:05` */
function shown(time: string, zone: string): string {
  const { year, month, day, hour, minute } = partsIn(zone, Date.parse(time))
  const two = (n: number) => String(n).padStart(2, '0')
  return `${year}-${two(month)}-${two(day)} ${two(hour)}:${two(minute)}`
}
