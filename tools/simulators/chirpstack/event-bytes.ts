import common from '@chirpstack/chirpstack-api/common/common_pb.js'
import gw from '@chirpstack/chirpstack-api/gw/gw_pb.js'
import pb from '@chirpstack/chirpstack-api/integration/integration_pb.js'
import struct from 'google-protobuf/google/protobuf/struct_pb.js'
import { stamp } from './things.ts'

// biome-ignore lint/suspicious/noExplicitAny: the body of an event, as the simulator itself just made it
type Body = any

const LEVELS: Record<string, number> = { INFO: 0, WARNING: 1, ERROR: 2 }

function deviceInfo(info: Body) {
  const message = new pb.DeviceInfo()
  message.setTenantId(info.tenantId)
  message.setTenantName(info.tenantName)
  message.setApplicationId(info.applicationId)
  message.setApplicationName(info.applicationName)
  message.setDeviceProfileId(info.deviceProfileId)
  message.setDeviceName(info.deviceName)
  message.setDevEui(info.devEui)
  message.setDeviceClassEnabled(common.DeviceClass.CLASS_A)
  return message
}

/** An event as ChirpStack publishes it with `json=false`. */
export function bytesOf(event: string, body: Body): Buffer {
  const time = stamp(Date.parse(body.time))
  const info = deviceInfo(body.deviceInfo)
  switch (event) {
    case 'up': {
      const message = new pb.UplinkEvent()
      message.setDeduplicationId(body.deduplicationId)
      message.setTime(time)
      message.setDeviceInfo(info)
      message.setDevAddr(body.devAddr)
      message.setAdr(body.adr)
      message.setDr(body.dr)
      message.setFCnt(body.fCnt)
      message.setFPort(body.fPort)
      message.setData(body.data)
      if (body.object) message.setObject(struct.Struct.fromJavaScript(body.object))
      for (const heard of body.rxInfo) {
        const rx = new gw.UplinkRxInfo()
        rx.setGatewayId(heard.gatewayId)
        rx.setUplinkId(heard.uplinkId)
        rx.setRssi(heard.rssi)
        rx.setSnr(heard.snr ?? 0)
        message.addRxInfo(rx)
      }
      const tx = new gw.UplinkTxInfo()
      tx.setFrequency(body.txInfo.frequency)
      message.setTxInfo(tx)
      message.setRegionConfigId(body.regionConfigId)
      return Buffer.from(message.serializeBinary())
    }
    case 'join': {
      const message = new pb.JoinEvent()
      message.setDeduplicationId(body.deduplicationId)
      message.setTime(time)
      message.setDeviceInfo(info)
      message.setDevAddr(body.devAddr)
      return Buffer.from(message.serializeBinary())
    }
    case 'ack': {
      const message = new pb.AckEvent()
      message.setDeduplicationId(body.deduplicationId)
      message.setTime(time)
      message.setDeviceInfo(info)
      message.setQueueItemId(body.queueItemId)
      message.setAcknowledged(body.acknowledged)
      message.setFCntDown(body.fCntDown)
      return Buffer.from(message.serializeBinary())
    }
    case 'txack': {
      const message = new pb.TxAckEvent()
      message.setDownlinkId(body.downlinkId)
      message.setTime(time)
      message.setDeviceInfo(info)
      message.setQueueItemId(body.queueItemId)
      message.setGatewayId(body.gatewayId)
      return Buffer.from(message.serializeBinary())
    }
    case 'status': {
      const message = new pb.StatusEvent()
      message.setDeduplicationId(body.deduplicationId)
      message.setTime(time)
      message.setDeviceInfo(info)
      message.setMargin(body.margin)
      message.setExternalPowerSource(body.externalPowerSource)
      message.setBatteryLevelUnavailable(body.batteryLevelUnavailable)
      message.setBatteryLevel(body.batteryLevel)
      return Buffer.from(message.serializeBinary())
    }
    case 'location': {
      const message = new pb.LocationEvent()
      message.setDeduplicationId(body.deduplicationId)
      message.setTime(time)
      message.setDeviceInfo(info)
      const at = new common.Location()
      at.setLatitude(body.location.latitude)
      at.setLongitude(body.location.longitude)
      at.setAltitude(body.location.altitude)
      at.setSource(common.LocationSource[body.location.source as keyof typeof common.LocationSource])
      message.setLocation(at)
      return Buffer.from(message.serializeBinary())
    }
    case 'log': {
      const message = new pb.LogEvent()
      message.setTime(time)
      message.setDeviceInfo(info)
      message.setLevel(LEVELS[body.level] as never)
      message.setCode(pb.LogCode[body.code as keyof typeof pb.LogCode])
      message.setDescription(body.description)
      for (const [key, value] of Object.entries<string>(body.context)) message.getContextMap().set(key, value)
      return Buffer.from(message.serializeBinary())
    }
    default:
      throw new Error(`no event ${event}`)
  }
}
