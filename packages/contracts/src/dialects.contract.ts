import { type Static, Type } from 'typebox'
import { Id, IdParams, Nullable, Version, Words } from './common.ts'
import { route } from './route.ts'

const closed = { additionalProperties: false } as const

export const DIALECTS = ['thingsboard', 'alibaba'] as const
export type DialectName = (typeof DIALECTS)[number]

/** Protocol dialects that the devices of a product may speak besides our own protocol. */
export const DialectsView = Type.Object({
  thingsboard: Type.Boolean({ description: 'v1/devices/me/… and v1/gateway/…; the access token is the user name' }),
  alibaba: Type.Boolean({ description: '/sys/… and /ext/…; HMAC sign-in with the device secret' }),
  version: Type.Integer(),
})
export type DialectsView = Static<typeof DialectsView>

/** How the devices below the gateways of a product behave. */
export const SubDeviceSettings = Type.Object({
  presence: Words(['gateway', 'silence'], {
    description: 'gateway: there as long as their gateway is; silence: until they were silent for their offline delay',
  }),
  autoCreateProductId: Nullable(Id),
})
export type SubDeviceSettings = Static<typeof SubDeviceSettings>

export const SubDeviceSettingsView = Type.Object({
  ...SubDeviceSettings.properties,
  autoCreateProductName: Nullable(Type.String()),
  version: Type.Integer(),
})
export type SubDeviceSettingsView = Static<typeof SubDeviceSettingsView>

export const dialectsContract = {
  get: route({
    method: 'GET',
    path: '/api/v1/products/{id}/dialects',
    tag: 'Products',
    summary: 'Whose firmware the devices of a product may run besides our own protocol',
    permission: 'product:read',
    params: IdParams,
    response: DialectsView,
  }),
  set: route({
    method: 'PUT',
    path: '/api/v1/products/{id}/dialects',
    tag: 'Products',
    summary: 'Switches topic dialects of other platforms on or off; what is not named stays',
    permission: 'product:write',
    audit: 'product.dialects',
    params: IdParams,
    body: Type.Object(
      {
        thingsboard: Type.Optional(Type.Boolean()),
        alibaba: Type.Optional(Type.Boolean()),
        version: Type.Optional(Version),
      },
      closed,
    ),
    response: DialectsView,
  }),
  subDevices: route({
    method: 'GET',
    path: '/api/v1/products/{id}/sub-devices',
    tag: 'Products',
    summary: 'How the devices below the gateways of a product behave',
    permission: 'product:read',
    params: IdParams,
    response: SubDeviceSettingsView,
  }),
  setSubDevices: route({
    method: 'PUT',
    path: '/api/v1/products/{id}/sub-devices',
    tag: 'Products',
    summary: 'Sets how the devices below the gateways of a product behave',
    permission: 'product:write',
    audit: 'product.sub_devices',
    params: IdParams,
    body: Type.Object(
      {
        presence: SubDeviceSettings.properties.presence,
        autoCreateProductId: Type.Optional(SubDeviceSettings.properties.autoCreateProductId),
        version: Type.Optional(Version),
      },
      closed,
    ),
    response: SubDeviceSettingsView,
  }),
}
