import { startEzviz } from '../../../../../../tools/simulators/ezviz/ezviz.ts'
import type { ChangeHouse } from './house.ts'
import type { Things } from './things.journey.ts'

/** Cameras of an EZVIZ account of its own, and one that is an address. */
export async function video({ go }: ChangeHouse, { deviceId }: Things): Promise<void> {
  const vendor = await startEzviz({ count: 2 })
  vendor.cameras.push({ ...vendor.cameras[0]!, serial: 'E12345678', owner: null })
  try {
    const { id: accountId, version } = await go('videoAccounts.create', {
      body: { name: 'Cameras of the west', appKey: 'a0b1c2d3e4f5', appSecret: 'simulated', baseUrl: vendor.url },
    })
    const account = { params: { id: accountId as string } }
    await go('videoAccounts.test', account)
    await go('videoAccounts.update', { ...account, body: { version, name: 'Cameras of the east' } })
    const added = await go('videoAccounts.addDevice', { body: { accountId, serial: 'E12345678', code: 'ABCDEF' } })
    const camera = (added.items as { id: string; version: number }[])[0]!
    const { params } = { params: { id: camera.id } }
    await go('videoAccounts.sync', account)
    await go('videoChannels.update', { params, body: { version: camera.version, deviceId, code: 'ABCDEF' } })
    await go('videoChannels.turn', { params, body: { direction: 'left' } })
    await go('videoChannels.halt', { params })
    await go('videoChannels.arm', { params, body: { armed: true } })
    const preset = await go('videoChannels.addPreset', { params, body: { name: 'Gate' } })
    const presetId = preset.id as string
    await go('videoChannels.goPreset', { params: { ...params, presetId } })
    await go('videoChannels.removePreset', { params: { ...params, presetId } })
    await go('videoChannels.snapshot', { params })
    const address = await go('videoChannels.create', {
      body: { name: 'Yard', streamUrl: 'https://media.example/live/yard.m3u8' },
    })
    await go('videoChannels.remove', { params: { id: address.id as string } })
    await go('videoAccounts.remove', account)
  } finally {
    await vendor.close()
  }
}
