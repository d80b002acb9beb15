import { type Static, Type } from 'typebox'
import { Id, IdParams, listOf, listQuery, Nullable, Ok } from './common.ts'
import { DeviceView } from './devices.contract.ts'
import { route } from './route.ts'

/** Most devices below one gateway. */
export const MAX_SUB_DEVICES = 1_000

export const SubAddress = Type.String({
  pattern: '^[^/+#\\u0000-\\u001f]{1,64}$',
  description: 'How the gateway calls the device, when not by its number (a Modbus slave, a serial number)',
})

export const SubDeviceView = Type.Object({ ...DeviceView.properties, subAddress: Nullable(Type.String()) })
export type SubDeviceView = Static<typeof SubDeviceView>

export const subDevicesContract = {
  list: route({
    method: 'GET',
    path: '/api/v1/devices/{id}/sub-devices',
    tag: 'Devices',
    summary: 'Devices bound to a gateway, by name',
    permission: 'device:read',
    params: IdParams,
    query: Type.Object({ limit: listQuery.limit, cursor: listQuery.cursor, q: listQuery.q, total: listQuery.total }),
    response: listOf(SubDeviceView),
  }),
  bind: route({
    method: 'POST',
    path: '/api/v1/devices/{id}/sub-devices',
    tag: 'Devices',
    summary: 'Binds devices to a gateway, all or none; a device bound elsewhere is refused',
    permission: 'device:write',
    audit: 'device.bind',
    params: IdParams,
    body: Type.Object(
      {
        items: Type.Array(
          Type.Object(
            { deviceId: Id, subAddress: Type.Optional(Nullable(SubAddress)) },
            { additionalProperties: false },
          ),
          { minItems: 1, maxItems: 100 },
        ),
      },
      { additionalProperties: false },
    ),
    response: Type.Object({ items: Type.Array(SubDeviceView) }),
  }),
  unbind: route({
    method: 'DELETE',
    path: '/api/v1/devices/{id}/sub-devices/{subId}',
    tag: 'Devices',
    summary: 'Takes a device off its gateway; the device itself stays',
    permission: 'device:write',
    audit: 'device.unbind',
    params: Type.Object({ id: Id, subId: Id }),
    response: Ok,
  }),
  gateway: route({
    method: 'GET',
    path: '/api/v1/devices/{id}/gateway',
    tag: 'Devices',
    summary: 'The gateway a device is bound to, or null',
    permission: 'device:read',
    params: IdParams,
    response: Type.Object({
      gateway: Nullable(DeviceView),
      subAddress: Nullable(Type.String()),
    }),
  }),
}
