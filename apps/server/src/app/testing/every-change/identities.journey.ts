import { authority } from '../../../lib/testing/authority.ts'
import type { ChangeHouse } from './house.ts'
import type { Things } from './things.journey.ts'

/** How devices prove who they are. */
export async function identities({ go, call, owner, container, held }: ChangeHouse, things: Things): Promise<void> {
  const product = { id: things.productId }
  const device = { id: things.deviceId }
  await go('productIdentity.set', { params: product, body: { registration: 'approve', messagesPerSecond: 5 } })
  const { productSecret } = await go('productIdentity.rotateSecret', { params: product, body: {} })
  const registers = (deviceNo: string) =>
    container.deviceIdentity.registrations.answer({
      productKey: things.productKey,
      deviceNo,
      productSecret,
      address: '192.0.2.9',
    })
  await registers('new-1')
  await registers('new-2')
  const waiting = await call<{ items: { id: string }[] }>('GET', `/products/${product.id}/registrations`, owner)
  await go('productIdentity.decide', { params: product, body: { decision: 'approve', ids: [waiting.items[0]!.id] } })
  await go('productIdentity.decide', { params: product, body: { decision: 'reject', ids: [waiting.items[1]!.id] } })
  await registers('new-1')
  await registers('new-2')
  await held('a device that registers itself after the decision')
  await go('productIdentity.set', { params: product, body: { registration: 'allow_new' } })
  await registers('new-3')
  await held('a device that registers itself')

  await go('deviceIdentity.set', { params: device, body: { messagesPerSecond: 3 } })
  await go('deviceIdentity.rotateToken', { params: device, body: {} })
  await go('deviceIdentity.showToken', { params: device })
  await go('deviceIdentity.triple', { params: device, body: { method: 'hmacsha256', dialect: 'own' } })
  await go('deviceIdentity.removeToken', { params: device })
  const ca = await go('deviceCas.generate', { body: { name: 'Ours', years: 2 } })
  const issued = await go('deviceIdentity.issueCertificate', { params: device, body: { caId: ca.id, days: 30 } })
  await go('deviceCas.test', { body: { certificate: issued.pem } })
  await go('deviceIdentity.revokeCertificate', { params: { ...device, certificateId: issued.certificate.id } })
  await go('deviceCas.setState', { params: { id: ca.id }, body: { state: 'disabled' } })
  const plant = await authority('Plant')
  const brought = await go('deviceCas.add', { body: { name: 'Plant', certificate: plant.pem } })
  const { pem } = await plant.sign(brought.proofCode)
  await go('deviceCas.prove', { params: { id: brought.id }, body: { certificate: pem } })
  await go('deviceCas.revoke', { params: { id: brought.id }, body: { serial: '0abc' } })
  await go('deviceCas.remove', { params: { id: ca.id } })
}
