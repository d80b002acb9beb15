import type { LibraryTemplate } from '@thingwright/contracts/product-library.contract'
import cayenneMulti from './cayenne-multi.json' with { type: 'json' }
import cjt188Water from './cjt188-water.json' with { type: 'json' }
import dlt6452007 from './dlt645-2007.json' with { type: 'json' }
import draginoLdds75 from './dragino-ldds75.json' with { type: 'json' }
import draginoLht65 from './dragino-lht65.json' with { type: 'json' }
import draginoLse01 from './dragino-lse01.json' with { type: 'json' }
import dtuBinary from './dtu-binary.json' with { type: 'json' }
import dtuText from './dtu-text.json' with { type: 'json' }
import edgeGateway from './edge-gateway.json' with { type: 'json' }
import esp32Dht from './esp32-dht.json' with { type: 'json' }
import gt06Tracker from './gt06-tracker.json' with { type: 'json' }
import hj2122017 from './hj212-2017.json' with { type: 'json' }
import httpSensor from './http-sensor.json' with { type: 'json' }
import iec6205621 from './iec62056-21.json' with { type: 'json' }
import jt808Tracker from './jt808-tracker.json' with { type: 'json' }
import milesightAm103 from './milesight-am103.json' with { type: 'json' }
import milesightEm300Th from './milesight-em300-th.json' with { type: 'json' }
import milesightEm500Pp from './milesight-em500-pp.json' with { type: 'json' }
import milesightWs301 from './milesight-ws301.json' with { type: 'json' }
import modbusDdsu666 from './modbus-ddsu666.json' with { type: 'json' }
import modbusDeltaDvp from './modbus-delta-dvp.json' with { type: 'json' }
import modbusDeltaVfd from './modbus-delta-vfd.json' with { type: 'json' }
import modbusGrowatt from './modbus-growatt.json' with { type: 'json' }
import modbusLevel from './modbus-level.json' with { type: 'json' }
import modbusPlc from './modbus-plc.json' with { type: 'json' }
import modbusPt1008ch from './modbus-pt100-8ch.json' with { type: 'json' }
import modbusPzem004t from './modbus-pzem-004t.json' with { type: 'json' }
import modbusRelay8 from './modbus-relay-8.json' with { type: 'json' }
import modbusSdm120 from './modbus-sdm120.json' with { type: 'json' }
import modbusSdm630 from './modbus-sdm630.json' with { type: 'json' }
import modbusSenseairS8 from './modbus-senseair-s8.json' with { type: 'json' }
import modbusSoil7in1 from './modbus-soil-7in1.json' with { type: 'json' }
import modbusTuf2000 from './modbus-tuf-2000.json' with { type: 'json' }
import modbusWeatherStation from './modbus-weather-station.json' with { type: 'json' }
import modbusWindSpeed from './modbus-wind-speed.json' with { type: 'json' }
import modbusXyMd02 from './modbus-xy-md02.json' with { type: 'json' }
import nmeaDtu from './nmea-dtu.json' with { type: 'json' }
import scaleAscii from './scale-ascii.json' with { type: 'json' }
import shellyPlus1pm from './shelly-plus-1pm.json' with { type: 'json' }
import tasmotaPlug from './tasmota-plug.json' with { type: 'json' }
import tlinkJson from './tlink-json.json' with { type: 'json' }
import zigbee2mqttSensor from './zigbee2mqtt-sensor.json' with { type: 'json' }

/**
 * Ready-made products, the best known first: each a thing model, a format and frames of real devices that run through it
 * in a test (modules/product-library). A new one is a JSON file beside this one and a line here.
 */
export const PRODUCT_LIBRARY = [
  esp32Dht,
  modbusXyMd02,
  dlt6452007,
  modbusSdm120,
  modbusSdm630,
  modbusPlc,
  dtuText,
  cjt188Water,
  milesightEm300Th,
  draginoLht65,
  jt808Tracker,
  cayenneMulti,
  draginoLdds75,
  draginoLse01,
  dtuBinary,
  edgeGateway,
  gt06Tracker,
  hj2122017,
  httpSensor,
  iec6205621,
  milesightAm103,
  milesightEm500Pp,
  milesightWs301,
  modbusDdsu666,
  modbusDeltaDvp,
  modbusDeltaVfd,
  modbusGrowatt,
  modbusLevel,
  modbusPt1008ch,
  modbusPzem004t,
  modbusRelay8,
  modbusSenseairS8,
  modbusSoil7in1,
  modbusTuf2000,
  modbusWeatherStation,
  modbusWindSpeed,
  nmeaDtu,
  scaleAscii,
  shellyPlus1pm,
  tasmotaPlug,
  tlinkJson,
  zigbee2mqttSensor,
] as unknown as readonly LibraryTemplate[]
