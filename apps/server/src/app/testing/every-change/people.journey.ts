import { TERMS } from '@thingwright/contracts/terms'
import { generate } from 'otplib'
import { softwareAuthenticator } from '../../../modules/identity/testing/authenticator.ts'
import { PASSWORD } from '../assistant-house.ts'
import type { ChangeHouse } from './house.ts'

const BASIC = { authorization: `Basic ${Buffer.from('cli:cli').toString('base64')}` }

/** Roles, members, and what becomes of them. */
export async function people(house: ChangeHouse): Promise<void> {
  const { go, call, owner, db, tenantId, base } = house
  const { items: roles } = await call<{ items: { id: string; key: string }[] }>('GET', '/roles', owner)
  const reading = roles.find(({ key }) => key === 'read_only')!
  const role = await go('roles.create', {
    body: { name: 'Night shift', permissions: ['device:read'], menuKeys: [], dataScope: { kind: 'all' } },
  })
  await go('roles.update', { params: { id: role.id }, body: { version: role.version, name: 'Nights' } })
  const copy = await go('roles.copy', { params: { id: role.id }, body: { name: 'Days' } })
  await go('roles.remove', { params: { id: copy.id } })

  const invited = async (address: string) => {
    const member = await go('members.invite', { body: { address, roleIds: [reading.id], locale: 'en' } })
    const mails = await fetch(`${base}/oauth/simulated-mail`)
    const { items } = (await mails.json()) as { items: { to: string; text: string }[] }
    const token = /#([\w-]+)/.exec(items.find(({ to }) => to === address)!.text)![1]!
    return { id: member.id as string, token }
  }
  const joined = async (username: string) => {
    const { token } = await invited(`${username}@acme.example`)
    await go('members.invitation', { as: null, body: { token } })
    await go('members.accept', { as: null, body: { token, username, password: PASSWORD, acceptTerms: true } })
    const { rows } = await db.superuser.query('select id, version from logins where username = $1', [username])
    return rows[0] as { id: string; version: number }
  }
  const first = await invited('nobody@acme.example')
  await db.superuser.query(`update invitations set sent_at = sent_at - interval '1 hour'`)
  await go('members.resend', { params: { id: first.id } })
  await go('members.revoke', { params: { id: first.id } })

  const lina = await joined('li.na')
  const params = { id: lina.id }
  await go('members.update', { params, body: { version: lina.version, displayName: 'Li Na', roleIds: [role.id] } })
  await go('members.freeze', { params })
  await go('members.unfreeze', { params })
  await go('members.unlock', { params })
  await go('members.resetPassword', { params })
  await house.signIn('li.na')
  await go('security.endMemberSessions', { params, body: {} })
  await go('security.totpBegin', { as: await proven(house, 'li.na') })
  await go('security.resetMemberFactors', { params })
  const { rows } = await db.superuser.query('select id from logins where tenant_id = $1 and username = $2', [
    tenantId,
    'chief',
  ])
  await go('members.handOver', { params, body: { to: rows[0].id } })
  await go('members.leave', { params, body: {} })
  const heir = await joined('wang.qiang')
  await go('members.transferOwnership', { params: { id: heir.id }, as: await proven(house, 'chief') })
  await db.superuser.query('delete from login_roles where login_id = $1', [rows[0].id])
  await db.superuser.query(
    `insert into login_roles (login_id, role_id, tenant_id) select $1, id, tenant_id from roles where tenant_id = $2 and key = 'owner'`,
    [rows[0].id, tenantId],
  )
}

/** A session of somebody who has just proven that it is he. */
export async function proven(house: ChangeHouse, username: string): Promise<string> {
  const token = await house.signIn(username)
  await house.call('POST', '/security/proof', token, { method: 'password', password: PASSWORD })
  return token
}

/** One's own account: addresses, factors, sessions, and its end. */
export async function ownAccount(house: ChangeHouse): Promise<void> {
  const { go, company, base, signIn } = house
  const { token: as } = await company('Own account', 'solo')
  const texts = async (path: string) =>
    ((await (await fetch(`${base}/oauth/${path}`)).json()) as { items: { text: string }[] }).items
  const code = async (path: string) => /\d{6}/.exec((await texts(path)).at(0)!.text)![0]
  await go('identity.updateMe', { as, body: { displayName: 'So Lo' } })
  await go('identity.smsCode', { as, body: { phone: '13800138001', purpose: 'bind' } })
  await go('identity.changePhone', { as, body: { phone: '13800138001', code: await code('simulated-sms') } })
  await go('identity.emailCode', { as, body: { email: 'solo@acme.example' } })
  await go('identity.changeEmail', {
    as,
    body: { email: 'solo@acme.example', code: await code('simulated-mail') },
  })
  await go('consents.give', { as, body: { document: TERMS.document, version: TERMS.version } })
  await go('security.prove', { as, body: { method: 'password', password: PASSWORD } })
  for (const table of ['mail_codes', 'code_requests']) await house.db.superuser.query(`delete from ${table}`)
  await go('security.sendCode', { as, body: { channel: 'mail', purpose: 'proof' } })
  const { secret } = await go('security.totpBegin', { as })
  await go('security.totpConfirm', { as, body: { code: await generate({ secret }) } })
  await go('security.setFactors', { as, body: { factors: ['mail'] } })
  await go('security.backupCodes', { as })
  await go('security.totpRemove', { as })
  const key = softwareAuthenticator()
  const begun = await go('security.passkeyBegin', { as })
  const passkey = await go('security.passkeyAdd', {
    as,
    body: { challengeId: begun.challengeId, name: 'Laptop', response: key.create(begun.options) },
  })
  await go('security.passkeyRename', { as, params: { id: passkey.id }, body: { name: 'Old laptop' } })
  await go('security.passkeyOptions', { as: null, body: {} })
  await go('security.passkeyRemove', { as, params: { id: passkey.id } })
  await go('security.setFactors', { as, body: { factors: [] } })

  await go('identity.token', {
    as: null,
    headers: BASIC,
    body: new URLSearchParams({ grant_type: 'password', username: 'solo', password: PASSWORD }),
  })
  const sessions = await house.call<{ items: { id: string; current: boolean }[] }>('GET', '/security/sessions', as)
  await go('security.endSession', { as, params: { id: sessions.items.find(({ current }) => !current)!.id } })
  await signIn('solo')
  await go('security.endOtherSessions', { as })
  await go('security.setPolicy', { as, body: { passwordMinLength: 9 } })
  await go('security.setOidc', {
    as,
    body: {
      enabled: false,
      issuer: 'https://id.example',
      clientId: 'x',
      clientSecret: 'y',
      createMembers: false,
      version: 0,
    },
  })
  await go('security.closeCompany', { as, body: { name: 'Own account' } })
  await go('security.keepCompany', { as })
  await go('security.changePassword', { as, body: { newPassword: 'Blue-Otter-Ladder-7', oldPassword: PASSWORD } })
  await company('Short', 'shortly')
  const session = (await (
    await fetch(`${base}/oauth/token`, {
      method: 'POST',
      headers: BASIC,
      body: new URLSearchParams({ grant_type: 'password', username: 'shortly', password: PASSWORD }),
    })
  ).json()) as { refresh_token: string }
  await go('identity.revoke', { as: null, body: { refresh_token: session.refresh_token } })
}
