import { silentLogger } from '../../lib/log.ts'
import { standingOf } from '../../modules/end-users/index.ts'
import { createIdentityModule } from '../../modules/identity/index.ts'
import type { MailMessage, Notice, SmsMessage } from '../../modules/notifications/index.ts'
import { createSupportService, createTenantsService } from '../../modules/tenants/index.ts'
import { seedCompany } from '../seeds/minimal/minimal.seed.ts'
import { testDatabase } from '../testing.ts'

export interface HouseOptions {
  database?: Awaited<ReturnType<typeof testDatabase>>
  /** PUBLIC_URL; null: what a request was addressed to. */
  fixedUrl?: string | null
  outboundAllow?: string[]
  codesPerDay?: { sign_in: number; register: number; reset: number; link: number }
}

/** Sign-in on a test database: texts, mails and notices are kept instead of sent, time is moved by hand. */
export async function signInHouse(over: HouseOptions = {}) {
  const db = over.database ?? (await testDatabase())
  const texts: SmsMessage[] = []
  const mails: MailMessage[] = []
  const notices: Notice[] = []
  const support = createSupportService({ database: db.database })
  const house = { now: Date.UTC(2026, 5, 1) }
  const module = createIdentityModule({
    database: db.database,
    tenants: createTenantsService(db.database),
    support,
    sms: { send: async message => void texts.push(message), outbox: () => null },
    mail: { send: async message => void mails.push(message), outbox: () => null },
    inbox: { notify: async (_scope, notice) => void notices.push(notice) },
    createCompany: seedCompany,
    standingOf,
    secretKey: 'a'.repeat(64),
    logger: silentLogger,
    menuKeys: ['/manage/product', '/manage/device'],
    publicUrl: () => 'https://iot.example',
    fixedUrl: over.fixedUrl === undefined ? 'https://iot.example' : over.fixedUrl,
    outboundAllow: over.outboundAllow ?? [],
    links: { holdMember: async () => {}, purgeCompany: async () => {} },
    secureCookie: false,
    demo: false,
    ...(over.codesPerDay ? { codesPerDay: over.codesPerDay } : {}),
    now: () => house.now,
  })
  return Object.assign(house, {
    db,
    module,
    support,
    identity: module.service,
    smsCodes: module.smsCodes,
    texts,
    mails,
    notices,
    lastCode: (phone: string) => texts.filter(t => t.phone === phone && t.params.code).at(-1)!.params.code!,
  })
}

export type SignInHouse = Awaited<ReturnType<typeof signInHouse>>
