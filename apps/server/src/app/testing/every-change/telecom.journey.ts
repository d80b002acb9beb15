import { createHash } from 'node:crypto'
import { startCtwing } from '../../../../../../tools/simulators/ctwing/ctwing.ts'
import type { ChangeHouse } from './house.ts'

/** Keys of NB-IoT platforms, the products and devices behind them, and what the platforms push. */
export async function telecom({ go, held, db, arranged }: ChangeHouse): Promise<void> {
  const platform = await startCtwing()
  try {
    const key = await go('telecom.create', {
      body: { name: 'Meters', platform: 'ctwing', account: 'simulated-app', appSecret: 'another-secret' },
    })
    const params = { id: key.id as string }
    await arranged(
      db.superuser.query('update telecom_keys set simulated = true, base_url = $2 where id = $1', [
        params.id,
        platform.url,
      ]),
    )
    await go('telecom.rotateSecret', { params, body: { appSecret: 'simulated-secret' } })
    const product = await go('products.create', {
      body: {
        name: 'Water meter',
        linkType: 'nbiot',
        thingModel: { properties: [{ identifier: 't', name: 't', dataType: { type: 'double' }, access: 'r' }] },
      },
    })
    const device = await go('devices.create', { body: { productId: product.id, name: 'Meter 1' } })
    const ofProduct = { id: product.id as string }
    const ofDevice = { id: device.id as string }
    await go('telecom.setProduct', {
      params: ofProduct,
      body: { keyId: key.id, platformProduct: '10000001', masterKey: '00112233445566778899aabbccddeeff' },
    })
    await go('telecom.setDevice', {
      params: ofDevice,
      body: { imei: '869000000000001', imsi: null, sn: null, psk: 'eight-or-more' },
    })
    await go('telecom.registerDevice', { params: ofDevice })
    await go('telecom.unregisterDevice', { params: ofDevice })
    const connection = (url: string) => ({ connection: url.split('/').at(-1)! })
    await go('telecomCallbacks.ctwing', {
      as: null,
      params: connection(key.callbackUrl),
      body: { messageType: 'dataReport', deviceId: 'nobody', timestamp: 1, payload: {} },
    })
    await held('a message of no device')
    const other = await go('telecom.create', {
      body: {
        name: 'Heating',
        platform: 'onenet',
        account: '100001',
        appSecret: 'ZmFrZS1hY2Nlc3Mta2V5LWZvci10ZXN0cy0wMDAwMDE=',
        token: 'faketoken',
      },
    })
    const msg = JSON.stringify({ deviceId: 'nobody', messageType: 'lifeCycle', data: { status: 'online' } })
    const signature = createHash('md5').update(`faketokenabcdefgh${msg}`).digest('base64')
    await go('telecomCallbacks.onenet', {
      as: null,
      params: connection(other.callbackUrl),
      body: { msg, nonce: 'abcdefgh', signature, time: 1, id: '1' },
    })
    await held('a signed message of no device')
    await go('telecom.clearProduct', { params: ofProduct })
  } finally {
    await platform.close()
  }
}
