import { generateKeyPairSync } from 'node:crypto'
import type { ChangeHouse } from './house.ts'
import type { Things } from './things.journey.ts'

/** Firmware: packages, their keys, campaigns, and what those do in the background. */
export async function firmware(house: ChangeHouse, things: Things): Promise<void> {
  const { go, call, owner, container, held } = house
  const product = { id: things.productId }
  const { publicKey } = generateKeyPairSync('ed25519')
  const pem = publicKey.export({ type: 'spki', format: 'pem' })
  const key = await go('firmware.addKey', { params: product, body: { name: 'Release', publicKey: pem } })
  await go('firmware.removeKey', { params: { ...product, keyId: key.id } })
  await go('firmware.setSettings', { params: product, body: { requireSignature: false, requireVerified: false } })
  let orderNo = 0
  const upload = (version: string) =>
    go('firmware.upload', {
      body: { productId: product.id, name: 'pump', version, orderNo: ++orderNo },
      file: { name: `${version}.bin`, bytes: `\u00e9 ${version}` },
    })
  const first = await upload('1.0.0')
  const next = await upload('1.1.0')
  const unused = await upload('1.2.0')
  const fresh = async (path: string) => (await call<{ revision: number }>('GET', path, owner)).revision
  const params = { id: next.id as string }
  await go('firmware.update', {
    params,
    body: { revision: await fresh(`/firmware-packages/${next.id}`), notes: 'quieter' },
  })
  await go('firmware.disable', { params })
  await go('firmware.enable', { params })
  await go('firmware.remove', { params: { id: unused.id } })
  const settle = async (what: string) => {
    while (await container.ota.runner.step());
    await held(what)
  }
  await go('firmware.verify', { params, body: { deviceIds: [things.deviceId] } })
  await settle('a verification of firmware in the background')
  await go('firmware.conclude', { params, body: { passed: true, note: 'runs' } })

  const scope = { kind: 'chosen', deviceIds: [things.deviceId] }
  await go('otaCampaigns.preview', { body: { packageId: next.id, scope } })
  const campaign = await go('otaCampaigns.create', { body: { name: 'Night', packageId: next.id, scope } })
  const own = { params: { id: campaign.id as string } }
  await settle('a campaign in the background')
  await go('otaCampaigns.update', {
    ...own,
    body: { revision: await fresh(`/ota-campaigns/${campaign.id}`), name: 'Late night' },
  })
  await go('otaCampaigns.pause', own)
  await go('otaCampaigns.resume', own)
  await settle('a campaign that goes on')
  await house.db.superuser.query(
    `update ota_jobs set state = 'failed', finished_at = now(), due_at = null where campaign_id = $1`,
    [campaign.id],
  )
  await go('otaCampaigns.retry', own)
  await settle('a campaign that is tried again')
  await go('otaJobs.batch', { body: { action: 'cancel', filter: { campaignId: campaign.id } } })
  await settle('a campaign whose updates were cancelled')
  await house.db.superuser.query(
    `update ota_jobs set state = 'succeeded', from_version = '1.0.0', finished_at = now(), due_at = null where campaign_id = $1`,
    [campaign.id],
  )
  await go('otaCampaigns.rollback', { ...own, body: { packageId: first.id } })
  await settle('a campaign back')
  const other = await go('otaCampaigns.create', { body: { name: 'Never', packageId: next.id, scope } })
  await go('otaCampaigns.cancel', { params: { id: other.id } })
  await settle('a campaign that was cancelled')
}
