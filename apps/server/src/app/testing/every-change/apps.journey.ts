import { authority } from '../../../lib/testing/authority.ts'
import type { ChangeHouse } from './house.ts'

/** The portal of a company with a host and its certificate. */
export async function apps(house: ChangeHouse): Promise<void> {
  const { go } = house
  const made = await go('webApps.create', { body: { name: 'Valves', suffix: 'valves' } })
  const params = { id: made.id }
  await go('webApps.update', { params, body: { host: 'portal.valves.example', version: made.version } })
  const ca = await authority('Test CA')
  const { pem, key } = await ca.sign('portal.valves.example')
  await go('webApps.setCertificate', { params, body: { certificate: pem, key } })
  await go('webApps.remove', { params })
  const account = await go('wechatAccounts.create', {
    body: {
      name: 'Valves',
      appId: 'wx0123456789abcdee',
      appSecret: '0123456789abcdef0123456789abcdef',
      token: 'valves2026',
      mode: 'plain',
    },
  })
  const rule = { kind: 'follow', keyword: '', whole: false, answer: 'Welcome', enabled: true }
  await go('wechatFollowers.setReplies', { params: { id: account.id }, body: { items: [rule] } })
  await go('wechatAccounts.remove', { params: { id: account.id } })
}
