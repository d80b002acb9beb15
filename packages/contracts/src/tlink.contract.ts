import { type Static, Type } from 'typebox'
import { JsonObject } from './common.ts'
import { type RoutePermission, route } from './route.ts'

/** Programs of that family send numbers as numbers or as text, and fields beyond those that are read. */
const Num = Type.Optional(Type.Union([Type.Integer(), Type.String({ maxLength: 20 })]))
const Text = Type.Optional(Type.String({ maxLength: 256 }))
const Value = Type.Optional(Type.Union([Type.Number(), Type.String({ maxLength: 1024 })]))

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
    value: Value,
    userName: Text,
    password: Text,
    deviceName: Text,
    linkType: Text,
    lat: Type.Optional(Type.Union([Type.Number(), Type.String({ maxLength: 32 })])),
    lng: Type.Optional(Type.Union([Type.Number(), Type.String({ maxLength: 32 })])),
    timescale: Num,
    id: Num,
    name: Text,
    contactName: Text,
    mobile: Text,
    email: Text,
    address: Text,
    verifyCode: Num,
    apiKey: Text,
    smsFlag: Num,
    emailFlag: Num,
    wechatFlag: Num,
    alarmName: Text,
    alarmType: Num,
    heightValue: Value,
    belowValue: Value,
    duration: Num,
    isAlarm: Num,
    active: Num,
    status: Num,
    isForward: Num,
    forwardDeviceId: Num,
    forwardSensorId: Num,
    forwardValue: Value,
    weekDay: Type.Optional(Type.Union([Type.Array(Type.Union([Type.Integer(), Type.String()])), Type.String()])),
    timePeriod: Text,
    contactIds: Type.Optional(
      Type.Union([
        Type.Array(Type.Union([Type.Integer(), Type.String({ maxLength: 20 })]), { maxItems: 100 }),
        Type.String({ maxLength: 2_000 }),
        Type.Integer(),
      ]),
    ),
    schedulerName: Text,
    startTime: Text,
    endTime: Text,
    endValue: Value,
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

/** What the vendor reads with GET and a JSON body. */
const read = <const P extends string, const A extends RoutePermission>(path: P, permission: A, summary: string) => ({
  ...call(path, permission, summary),
  alsoGet: true as const,
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
  userLogin: route({
    method: 'POST',
    path: '/compat/tlink/api/user/userLogin',
    tag: 'TLINK compatibility',
    summary: 'Checks a name and password, and says who that is and with what the token is asked for',
    permission: 'public',
    audit: { none: 'written by the service, which knows who signed in or failed' },
    body: TlinkBody,
    response: JsonObject,
    anyAccountState: true,
  }),
  getUserInfo: read('user/getUserInfo', 'signed-in', 'Who is signed in'),
  getDevices: read('device/getDevices', 'device:read', 'Devices, page by page'),
  getDeviceSensorDatas: read('device/getDeviceSensorDatas', 'telemetry:read', 'Devices with their latest values'),
  getSingleDeviceDatas: read('device/getSingleDeviceDatas', 'telemetry:read', 'One device with its latest values'),
  getSingleSensorDatas: read('device/getSingleSensorDatas', 'telemetry:read', 'The latest value of one sensor'),
  getSensorHistroy: read('device/getSensorHistroy', 'telemetry:read', 'History of one sensor, a page at a time'),
  addDevice: call('device/addDevice', 'device:write', 'A device with sensors of its own: a product is made for it'),
  updateDevice: call('device/updateDevice', 'device:write', 'Name, place and offline delay of a device'),
  deleteDevice: call('device/deleteDevice', 'device:delete', 'Moves a device to the recycle bin'),
  switcherController: call('device/switcherController', 'device:command', 'Turns a switch on or off'),
  deviceWrite: call('device/deviceWrite', 'device:command', 'Sets a number, a level or a text'),
  getVerifyCode: read('user/getVerifyCode', 'signed-in', 'Sends a code to a new phone or mail address of the caller'),
  updateUserInfo: call(
    'user/updateUserInfo',
    'signed-in',
    'Name of the caller; phone or mail address with the code; where the company is',
  ),
  updatePassword: call('user/updatePassword', 'signed-in', 'A new password for the caller, with a code sent to him'),
  getYunzutaiList: read('yunzutai/getYunzutaiList', 'page:read', 'Published cloud pages with their addresses'),
  addContacts: call('alarms/addContacts', 'contact:write', 'Adds a contact for alarms'),
  saveContact: call('alarms/saveContact', 'contact:write', 'Adds a contact, or changes the one with the id'),
  updateContacts: call('alarms/updateContacts', 'contact:write', 'Changes a contact'),
  deleteContacts: call('alarms/deleteContacts', 'contact:write', 'Removes a contact'),
  deleteContact: call('alarms/deleteContact', 'contact:write', 'Removes a contact'),
  getContacts: read('alarms/getContacts', 'contact:read', 'Contacts, page by page'),
  getAllContacts: read('alarms/getAllContacts', 'contact:read', 'Contacts, page by page'),
  getContactById: read('alarms/getContactById', 'contact:read', 'One contact'),
  getWechatContacts: read('alarms/getWechatContacts', 'contact:read', 'Contacts that are bound to WeChat'),
  reBindWeChat: call('alarms/reBindWeChat', 'contact:write', 'Takes the WeChat of a contact away, to bind another'),
  addAlarms: call('alarms/addAlarms', 'trigger:write', 'Makes a trigger of alarmType 1 to 15 over one sensor'),
  updateAlarms: call('alarms/updateAlarms', 'trigger:write', 'Replaces the rule of a trigger'),
  deleteAlarms: call('alarms/deleteAlarms', 'trigger:write', 'Removes a trigger'),
  activeAlarms: call('alarms/activeAlarms', 'trigger:write', 'Switches a trigger on or off'),
  getAlarms: read('alarms/getAlarms', 'trigger:read', 'Triggers, page by page'),
  getAlarmsHistory: read('alarms/getAlarmsHistory', 'alarm:read', 'Alarms, page by page, newest first'),
  addScheduler: call('scheduler/addScheduler', 'timed-task:write', 'Makes a timed task: a value at the start and end'),
  updateScheduler: call('scheduler/updateScheduler', 'timed-task:write', 'Replaces a timed task'),
  deleteScheduler: call('scheduler/deleteScheduler', 'timed-task:write', 'Removes a timed task'),
  getScheduler: read('scheduler/getScheduler', 'timed-task:read', 'Timed tasks, page by page'),
  activeScheduler: call('scheduler/activeScheduler', 'timed-task:write', 'Switches a timed task on or off'),
}
