import type { LORA_KEY_NAMES } from '@thingwright/contracts/lora.words'
import type { CryptoBox } from '../../lib/crypto/crypto-box.ts'
import type { LnsDevice } from './lns.port.ts'

export type KeyName = (typeof LORA_KEY_NAMES)[number]
/** Keys of a device by name, in small hex digits. */
export type DeviceKeys = Partial<Record<KeyName, string>>

const context = (deviceId: string) => `lora-keys:${deviceId}`

export const sealKeys = (box: CryptoBox, deviceId: string, keys: DeviceKeys): Buffer =>
  box.seal(JSON.stringify(keys), context(deviceId))

export const openKeys = (box: CryptoBox, deviceId: string, cipher: Buffer): DeviceKeys =>
  JSON.parse(box.open(cipher, context(deviceId)).toString('utf8')) as DeviceKeys

/** The first key that this activation takes and that is missing; null: none. */
export function missingKey(keys: DeviceKeys, activation: 'otaa' | 'abp', macVersion: string | null): KeyName | null {
  const wanted: readonly KeyName[] =
    activation === 'abp'
      ? ['devAddr', 'nwkSKey', 'appSKey']
      : macVersion === '1.1.0'
        ? ['appKey', 'nwkKey']
        : ['appKey']
  return wanted.find(name => !keys[name]) ?? null
}

/** How ChirpStack is given the keys. Of LoRaWAN 1.0 it takes the AppKey in the field of the network key. */
export function remoteKeys(
  keys: DeviceKeys,
  activation: 'otaa' | 'abp',
  macVersion: string | null,
): Pick<LnsDevice, 'keys' | 'session'> {
  if (activation === 'abp')
    return { keys: null, session: { devAddr: keys.devAddr!, appSKey: keys.appSKey!, nwkSKey: keys.nwkSKey! } }
  const { appKey = '', nwkKey = '', genAppKey = '' } = keys
  return macVersion === '1.1.0'
    ? { keys: { nwkKey, appKey, genAppKey: '' }, session: null }
    : { keys: { nwkKey: appKey, appKey: '', genAppKey }, session: null }
}
