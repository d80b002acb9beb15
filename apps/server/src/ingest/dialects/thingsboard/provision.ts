import type { IngestPort, TransportName } from '../../transport.port.ts'
import { objectOf } from '../dialect.ts'

/** User name with which a ThingsBoard client connects that has nothing but its product's key and secret. */
export const PROVISION_USER = 'provision'
export const PROVISION_REQUEST = '/provision/request'
export const PROVISION_RESPONSE = '/provision/response'

const MAX_TEXT = 128

/**
 * ThingsBoard's device provisioning (https://thingsboard.io/docs/user-guide/device-provisioning): `{"deviceName",
 * "provisionDeviceKey", "provisionDeviceSecret"}`, where key and secret are those of the product, answered by the
 * credentials of the device. It is our dynamic registration in other words, under the same rules.
 */
export async function provision(
  port: Pick<IngestPort, 'signIn' | 'note'>,
  payload: Buffer,
  peer: { address: string; transport: TransportName },
): Promise<Record<string, unknown>> {
  const body = objectOf(payload)
  const text = (name: string) => (typeof body?.[name] === 'string' ? (body[name] as string).slice(0, MAX_TEXT) : '')
  const deviceNo = text('deviceName')
  const productKey = text('provisionDeviceKey')
  const productSecret = text('provisionDeviceSecret')
  if (!deviceNo || !productKey || !productSecret) return { status: 'FAILURE', errorMsg: 'missing or malformed fields' }
  const result = await port.signIn({ kind: 'registration', productKey, deviceNo, productSecret, ...peer })
  if (!result.ok) {
    if (result.reason !== 'unavailable')
      port.note(productKey, deviceNo, 'sign_in_refused', { reason: result.reason, ...peer })
    return { status: result.reason === 'wrong_product_secret' ? 'NOT_FOUND' : 'FAILURE', errorMsg: result.reason }
  }
  const { issued, device } = result
  if (issued?.accessToken)
    return { status: 'SUCCESS', credentialsType: 'ACCESS_TOKEN', credentialsValue: issued.accessToken }
  const userName = `${device.productKey}/${device.deviceNo}`
  const credentialsValue = { clientId: null, userName, password: issued?.deviceSecret }
  return { status: 'SUCCESS', credentialsType: 'MQTT_BASIC', credentialsValue }
}
