import pb from '@chirpstack/chirpstack-api/api/device_profile_pb.js'
import type { LoraProfileFields } from '@thingwright/contracts/lora-profiles.contract'
import type { LnsProfileItem } from '../../../modules/lora/lns.port.ts'
import { timeIn } from './channel.ts'
import { APP_LAYER, CODEC, MAC_VERSION, MEASUREMENT, REG_PARAMS, REGION } from './words.ts'

type Message = InstanceType<typeof pb.DeviceProfile>
type ListItem = InstanceType<typeof pb.DeviceProfileListItem>

/** A device profile as we know it. @throws LnsError answer */
export function profileOf(message: Message): LoraProfileFields {
  const app = message.getAppLayerParams() ?? new pb.AppLayerParams()
  return {
    name: message.getName(),
    description: message.getDescription(),
    region: REGION.word(message.getRegion()),
    regionConfigId: message.getRegionConfigId(),
    macVersion: MAC_VERSION.word(message.getMacVersion()),
    regParamsRevision: REG_PARAMS.word(message.getRegParamsRevision()),
    adrAlgorithmId: message.getAdrAlgorithmId(),
    flushQueueOnActivate: message.getFlushQueueOnActivate(),
    uplinkInterval: message.getUplinkInterval(),
    deviceStatusReqInterval: message.getDeviceStatusReqInterval(),
    allowRoaming: message.getAllowRoaming(),
    rx1Delay: message.getRx1Delay(),
    supportsOtaa: message.getSupportsOtaa(),
    abpRx1Delay: message.getAbpRx1Delay(),
    abpRx1DrOffset: message.getAbpRx1DrOffset(),
    abpRx2Dr: message.getAbpRx2Dr(),
    abpRx2Freq: message.getAbpRx2Freq(),
    supportsClassB: message.getSupportsClassB(),
    classBTimeout: message.getClassBTimeout(),
    classBPingSlotPeriodicity: message.getClassBPingSlotPeriodicity(),
    classBPingSlotDr: message.getClassBPingSlotDr(),
    classBPingSlotFreq: message.getClassBPingSlotFreq(),
    classBDownlinkOnly: message.getClassBDownlinkOnly(),
    supportsClassC: message.getSupportsClassC(),
    classCTimeout: message.getClassCTimeout(),
    codecRuntime: CODEC.word(message.getPayloadCodecRuntime()),
    codecScript: message.getPayloadCodecScript(),
    tags: Object.fromEntries(message.getTagsMap().toArray()),
    measurements: [...message.getMeasurementsMap().entries()].map(([key, value]) => ({
      key,
      name: value.getName(),
      kind: MEASUREMENT.word(value.getKind()),
    })),
    autoDetectMeasurements: message.getAutoDetectMeasurements(),
    appLayer: {
      ts003Version: APP_LAYER.word(app.getTs003Version()),
      ts003Port: app.getTs003FPort(),
      ts004Version: APP_LAYER.word(app.getTs004Version()),
      ts004Port: app.getTs004FPort(),
      ts005Version: APP_LAYER.word(app.getTs005Version()),
      ts005Port: app.getTs005FPort(),
    },
  }
}

/** Writes what we know into a message; its other fields (relays, vendor) stay as they are. */
export function writeProfile(message: Message, fields: LoraProfileFields): void {
  message.setName(fields.name)
  message.setDescription(fields.description)
  message.setRegion(REGION.number(fields.region) as never)
  message.setRegionConfigId(fields.regionConfigId)
  message.setMacVersion(MAC_VERSION.number(fields.macVersion) as never)
  message.setRegParamsRevision(REG_PARAMS.number(fields.regParamsRevision) as never)
  message.setAdrAlgorithmId(fields.adrAlgorithmId)
  message.setFlushQueueOnActivate(fields.flushQueueOnActivate)
  message.setUplinkInterval(fields.uplinkInterval)
  message.setDeviceStatusReqInterval(fields.deviceStatusReqInterval)
  message.setAllowRoaming(fields.allowRoaming)
  message.setRx1Delay(fields.rx1Delay)
  message.setSupportsOtaa(fields.supportsOtaa)
  message.setAbpRx1Delay(fields.abpRx1Delay)
  message.setAbpRx1DrOffset(fields.abpRx1DrOffset)
  message.setAbpRx2Dr(fields.abpRx2Dr)
  message.setAbpRx2Freq(fields.abpRx2Freq)
  message.setSupportsClassB(fields.supportsClassB)
  message.setClassBTimeout(fields.classBTimeout)
  message.setClassBPingSlotPeriodicity(fields.classBPingSlotPeriodicity)
  message.setClassBPingSlotDr(fields.classBPingSlotDr)
  message.setClassBPingSlotFreq(fields.classBPingSlotFreq)
  message.setClassBDownlinkOnly(fields.classBDownlinkOnly)
  message.setSupportsClassC(fields.supportsClassC)
  message.setClassCTimeout(fields.classCTimeout)
  message.setPayloadCodecRuntime(CODEC.number(fields.codecRuntime) as never)
  message.setPayloadCodecScript(fields.codecScript)
  message.clearTagsMap()
  for (const [key, value] of Object.entries(fields.tags)) message.getTagsMap().set(key, value)
  message.clearMeasurementsMap()
  for (const { key, name, kind } of fields.measurements) {
    const measurement = new pb.Measurement()
    measurement.setName(name)
    measurement.setKind(MEASUREMENT.number(kind) as never)
    message.getMeasurementsMap().set(key, measurement)
  }
  message.setAutoDetectMeasurements(fields.autoDetectMeasurements)
  const app = message.getAppLayerParams() ?? new pb.AppLayerParams()
  app.setTs003Version(APP_LAYER.number(fields.appLayer.ts003Version) as never)
  app.setTs003FPort(fields.appLayer.ts003Port)
  app.setTs004Version(APP_LAYER.number(fields.appLayer.ts004Version) as never)
  app.setTs004FPort(fields.appLayer.ts004Port)
  app.setTs005Version(APP_LAYER.number(fields.appLayer.ts005Version) as never)
  app.setTs005FPort(fields.appLayer.ts005Port)
  message.setAppLayerParams(app)
}

export function profileItemOf(item: ListItem, shared: boolean): LnsProfileItem {
  return {
    remoteId: item.getId(),
    name: item.getName(),
    region: REGION.word(item.getRegion()),
    macVersion: MAC_VERSION.word(item.getMacVersion()),
    regParamsRevision: REG_PARAMS.word(item.getRegParamsRevision()),
    supportsOtaa: item.getSupportsOtaa(),
    supportsClassB: item.getSupportsClassB(),
    supportsClassC: item.getSupportsClassC(),
    shared,
    createdAt: timeIn(item.getCreatedAt()),
    updatedAt: timeIn(item.getUpdatedAt()),
  }
}
