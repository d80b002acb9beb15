import { expect } from 'vitest'
import { startChirpStack } from '../../../../../../tools/simulators/chirpstack/chirpstack.ts'
import type { ChangeHouse } from './house.ts'

/** LoRa over a ChirpStack of its own. */
export async function lora({ go, held }: ChangeHouse): Promise<void> {
  const server = await startChirpStack()
  try {
    const { id: connectionId, version } = await go('loraConnections.create', {
      body: { name: 'LoRa of the west', url: server.url, remoteTenantId: server.tenantId, apiKey: server.apiKey },
    })
    const connection = { params: { id: connectionId as string } }
    await go('loraConnections.test', connection)
    await go('loraConnections.update', { ...connection, body: { version, name: 'LoRa of the east' } })
    await go('loraConnections.rotateCallback', connection)
    const profile = await go('loraProfiles.create', { body: { connectionId, name: 'Meter', region: 'CN470' } })
    const ofProfile = { params: { id: profile.id as string } }
    await go('loraProfiles.update', { ...ofProfile, body: { version: profile.version, uplinkInterval: 600 } })
    const product = await go('products.create', {
      body: {
        name: 'LoRa meter',
        linkType: 'lorawan',
        thingModel: { properties: [{ identifier: 't', name: 't', dataType: { type: 'double' }, access: 'r' }] },
      },
    })
    const device = await go('devices.create', {
      body: { productId: product.id, name: 'Meter 1', deviceNo: '0102030405060708' },
    })
    const ofProduct = { params: { id: product.id as string } }
    const ofDevice = { params: { id: device.id as string } }
    await go('loraLinks.setProduct', {
      ...ofProduct,
      body: { connectionId, applicationId: server.things.applications[0]!.id, profileId: profile.id },
    })
    const key = '00112233445566778899aabbccddeeff'
    await go('loraLinks.setDevice', { ...ofDevice, body: { appKey: key } })
    await go('loraLinks.flushQueue', ofDevice)
    await go('loraLinks.removeDevice', ofDevice)
    await go('loraLinks.import', {
      body: { productId: product.id },
      file: { name: 'devices.csv', bytes: `DevEUI,AppKey\n0102030405060709,${key}\n`, type: 'text/csv' },
    })
    // Its task makes the device at ChirpStack; a person removes it there, so that its profile can go.
    await expect.poll(() => server.devices.delete('0102030405060709'), { timeout: 30_000 }).toBe(true)
    await held('an import of LoRa devices')
    await go('loraLinks.clearProduct', ofProduct)
    const gateway = await go('loraGateways.create', {
      body: { connectionId, gatewayId: '0016c001f1500812', name: 'Roof' },
    })
    const ofGateway = { params: { id: gateway.id as string } }
    await go('loraGateways.update', { ...ofGateway, body: { version: gateway.version, name: 'Roof 2' } })
    await go('loraGateways.makeCertificate', ofGateway)
    const group = await go('loraMulticast.create', {
      ...connection,
      body: {
        name: 'Lamps',
        applicationId: server.things.applications[0]!.id,
        region: 'CN470',
        type: 'class_c',
        mcAddr: '01020304',
        mcNwkSKey: key,
        mcAppSKey: key,
        dr: 0,
        frequency: 505_300_000,
      },
    })
    const ofGroup = { params: { id: connectionId as string, groupId: group.groupId as string } }
    const lamp = '0102030405060710'
    server.devices.set(lamp, { devEui: lamp, name: 'Lamp', profileId: '', fCnt: 0, queue: [] })
    await go('loraMulticast.addDevices', { ...ofGroup, body: { devEuis: [lamp] } })
    await go('loraMulticast.removeDevice', { params: { ...ofGroup.params, devEui: lamp } })
    await go('loraMulticast.send', { ...ofGroup, body: { port: 10, hex: '01' } })
    await go('loraMulticast.remove', ofGroup)
    await go('loraConnections.sync', connection)
    await go('loraGateways.remove', ofGateway)
    await go('loraProfiles.remove', ofProfile)
    await go('loraConnections.remove', connection)
  } finally {
    await server.close()
  }
}
