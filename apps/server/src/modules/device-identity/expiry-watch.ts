import type { Database, TenantScope } from '../../lib/database/database.ts'
import type { Inbox, Notice } from '../notifications/index.ts'
import { SOON_MS } from './certificate-views.ts'
import * as repo from './device-cas.repo.ts'
import words from './expiry-words.json' with { type: 'json' }

export interface ExpiryWatchDeps {
  database: Database
  inbox: Inbox
}

export interface ExpiryWatch {
  /** Tells the company once of every certificate that ends within 30 days. */
  watch(tenantId: string, now: number): Promise<void>
}

export function createExpiryWatch({ database, inbox }: ExpiryWatchDeps): ExpiryWatch {
  async function tell(
    scope: TenantScope,
    key: 'ca' | 'devices',
    params: Record<string, string | number>,
    link: string,
  ): Promise<void> {
    const say = (part: 'title' | 'text'): Notice['title'] => {
      const fill = (text: string) => text.replaceAll(/\{(\w+)\}/g, (_, name: string) => String(params[name] ?? ''))
      const { zh, en } = words[`${key}.${part}`]
      return { zh: fill(zh), en: fill(en) }
    }
    await inbox.notify(scope, {
      tenantId: scope.tenantId,
      to: { permission: 'device:secret' },
      kind: 'device_certificate.expiry',
      title: say('title'),
      text: say('text'),
      link,
      level: 'warning',
    })
  }

  return {
    watch: (tenantId, now) =>
      database.withTenant({ tenantId }, async scope => {
        const until = new Date(now + SOON_MS)
        for (const ca of await repo.warnOfCas(scope, until))
          await tell(scope, 'ca', { name: ca.name, date: dateOf(ca.notAfter) }, '/manage/product')
        const [first, ...others] = await repo.warnOfCertificates(scope, until)
        if (first) {
          const params = { device: first.name, date: dateOf(first.notAfter), count: others.length + 1 }
          await tell(scope, 'devices', params, `/manage/device/DeviceSet/DeviceSetLink?id=${first.deviceId}`)
        }
      }),
  }
}

const dateOf = (time: Date) => time.toISOString().slice(0, 10)
