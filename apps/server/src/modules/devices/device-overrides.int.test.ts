import { expect, it } from 'vitest'
import { company, management, refusal } from '../../db/testing/management.ts'
import { createDeviceOverridesService } from './device-overrides.service.ts'

it('a device may have its own slave address and cycle', async () => {
  const world = await management()
  const acme = await company(world.db)
  const other = await company(world.db)
  const { id } = await world.products.service.create(acme.ctx, { name: 'Meters', linkType: 'modbus_rtu' } as never)
  const device = await world.devices.service.create(acme.ctx, { productId: id, name: 'Meter' })
  const overrides = createDeviceOverridesService({ database: world.database, gateway: world.gateway })
  expect(await overrides.linkOverrides(acme.ctx, device.id)).toEqual({})
  world.gateway.take()
  expect(await overrides.setLinkOverrides(acme.ctx, device.id, { slave: 9, cycleSeconds: 5 })).toEqual({
    slave: 9,
    cycleSeconds: 5,
  })
  expect(world.gateway.take()).toEqual([expect.stringMatching(/^forget device/)])
  expect(await overrides.setLinkOverrides(acme.ctx, device.id, { slave: 9, cycleSeconds: null })).toEqual({ slave: 9 })
  expect(await overrides.linkOverrides(acme.ctx, device.id)).toEqual({ slave: 9 })
  expect(await refusal(overrides.linkOverrides(other.ctx, device.id))).toMatchObject({ code: 'device.not_found' })
})
