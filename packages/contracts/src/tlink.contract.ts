import { type Static, Type } from 'typebox'
import { JsonObject } from './common.ts'
import { type RoutePermission, route } from './route.ts'

/** Programs of that family send numbers as numbers or as text, and fields beyond those that are read. */
const Num = Type.Optional(Type.Union([Type.Integer(), Type.String({ maxLength: 20 })]))
const Text = Type.Optional(Type.String({ maxLength: 256 }))

export const TlinkBody = Type.Object(
  {
    userId: Num,
    deviceId: Num,
    deviceNo: Text,
    sensorId: Num,
    groupId: Num,
    currPage: Num,
    pageSize: Num,
    isLine: Num,
    isDelete: Num,
    startDate: Text,
    endDate: Text,
    pagingState: Type.Optional(Type.String({ maxLength: 256 })),
    switcher: Num,
    value: Type.Optional(Type.Union([Type.Number(), Type.String({ maxLength: 1024 })])),
    userName: Text,
    password: Text,
    deviceName: Text,
    linkType: Text,
    lat: Type.Optional(Type.Union([Type.Number(), Type.String({ maxLength: 32 })])),
    lng: Type.Optional(Type.Union([Type.Number(), Type.String({ maxLength: 32 })])),
    timescale: Num,
    sensorList: Type.Optional(
      Type.Array(
        Type.Object({
          sensorName: Type.String({ minLength: 1, maxLength: 64 }),
          sensorType: Num,
          unit: Type.Optional(Type.String({ maxLength: 16 })),
          decimal: Num,
          ordernum: Num,
        }),
        { maxItems: 200 },
      ),
    ),
  },
  { description: 'Fields that a call does not know are ignored' },
)
export type TlinkBody = Static<typeof TlinkBody>

const call = <const P extends string, const A extends RoutePermission>(path: P, permission: A, summary: string) =>
  route({
    method: 'POST',
    path: `/compat/tlink/api/${path}`,
    tag: 'TLINK compatibility',
    summary,
    permission,
    apiKeys: true,
    audit: { none: 'reads, or written by the service that does the work' },
    body: TlinkBody,
    response: JsonObject,
  })

/**
 * The open API of the TLINK family, for programs written against it: their base address becomes `/compat/tlink`. Answers
 * are HTTP 200 with `flag` "00" (done) or "01" (refused, with `msg`); ids are numbers; pages are counted from 1 and hold
 * at most 100; times are `yyyy-MM-dd HH:mm:ss` of UTC+8.
 */
export const tlinkContract = {
  token: route({
    method: 'POST',
    path: '/compat/tlink/oauth/token',
    tag: 'TLINK compatibility',
    summary: 'Password and refresh grants in the query or as a form; any client credentials are taken',
    permission: 'public',
    audit: { none: 'written by the service, which knows who signed in or failed' },
    query: Type.Object({
      grant_type: Type.Optional(Type.String({ maxLength: 32 })),
      username: Type.Optional(Type.String({ maxLength: 128 })),
      password: Type.Optional(Type.String({ maxLength: 256 })),
      refresh_token: Type.Optional(Type.String({ maxLength: 512 })),
    }),
    response: JsonObject,
    anyAccountState: true,
  }),
  getUserInfo: call('user/getUserInfo', 'signed-in', 'Who is signed in'),
  getDevices: call('device/getDevices', 'device:read', 'Devices, page by page'),
  getDeviceSensorDatas: call('device/getDeviceSensorDatas', 'telemetry:read', 'Devices with their latest values'),
  getSingleDeviceDatas: call('device/getSingleDeviceDatas', 'telemetry:read', 'One device with its latest values'),
  getSingleSensorDatas: call('device/getSingleSensorDatas', 'telemetry:read', 'The latest value of one sensor'),
  getSensorHistroy: call('device/getSensorHistroy', 'telemetry:read', 'History of one sensor, a page at a time'),
  addDevice: call('device/addDevice', 'device:write', 'A device with sensors of its own: a product is made for it'),
  updateDevice: call('device/updateDevice', 'device:write', 'Name, place and offline delay of a device'),
  deleteDevice: call('device/deleteDevice', 'device:delete', 'Moves a device to the recycle bin'),
  switcherController: call('device/switcherController', 'device:command', 'Turns a switch on or off'),
  deviceWrite: call('device/deviceWrite', 'device:command', 'Sets a number, a level or a text'),
}
