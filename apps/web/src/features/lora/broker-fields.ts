import type { LoraConnectionView } from '@thingwright/contracts/lora.contract'
import type { TFunction } from 'i18next'
import type { Field, Values } from '../../ui/schema-form/field.ts'

type Connection = LoraConnectionView | null

const MQTTS_PORT = 8883
const named = (values: Values) => typeof values.mqtt === 'string' && values.mqtt.trim() !== ''

/** The broker of ChirpStack's MQTT integration, as fields of a connection's form; `mqtt` is its host. */
export function brokerFields(t: TFunction<'lora'>, connection: Connection): Field[] {
  return [
    {
      key: 'mqtt',
      kind: 'string',
      label: t('broker.host'),
      maxLength: 253,
      mono: true,
      placeholder: 'mqtt.example.com',
      help: t('broker.hostHelp'),
      pattern: /^[A-Za-z0-9._:-]+$/,
      patternText: t('broker.hostRule'),
    },
    { key: 'mqttTls', kind: 'bool', label: t('broker.tls'), half: true, visible: named },
    {
      key: 'mqttPort',
      kind: 'number',
      label: t('broker.port'),
      integer: true,
      min: 1,
      max: 65_535,
      half: true,
      required: true,
      visible: named,
    },
    {
      key: 'mqttUsername',
      kind: 'string',
      label: t('broker.username'),
      half: true,
      maxLength: 256,
      cleared: '',
      visible: named,
    },
    {
      key: 'mqttPassword',
      kind: 'string',
      label: t('broker.password'),
      half: true,
      secret: true,
      keepSpaces: true,
      maxLength: 1024,
      visible: named,
      ...(connection?.mqtt ? { placeholder: t('connection.unchanged') } : {}),
    },
    {
      key: 'mqttPrefix',
      kind: 'string',
      label: t('broker.prefix'),
      maxLength: 128,
      cleared: '',
      mono: true,
      help: t('broker.prefixHelp'),
      visible: named,
    },
  ]
}

export function brokerValues(connection: Connection): Values {
  const mqtt = connection?.mqtt
  return {
    mqtt: mqtt?.host,
    mqttTls: mqtt?.tls ?? true,
    mqttPort: mqtt?.port ?? MQTTS_PORT,
    mqttUsername: mqtt?.username,
    mqttPrefix: mqtt?.prefix,
  }
}

/** What to send of the broker, and the values of the other fields. A password that is not typed stays with its broker. */
export function brokerOf(all: Values, connection: Connection): { mqtt: { mqtt?: unknown }; rest: Values } {
  const { mqtt, mqttTls, mqttPort, mqttUsername, mqttPassword, mqttPrefix, ...rest } = all
  const given = [mqtt, mqttTls, mqttPort, mqttUsername, mqttPassword, mqttPrefix].some(value => value !== undefined)
  const before = brokerValues(connection)
  const host = mqtt === undefined ? before.mqtt : mqtt
  if (!given || (!host && !connection?.mqtt)) return { mqtt: {}, rest }
  if (!host) return { mqtt: { mqtt: null }, rest }
  return {
    mqtt: {
      mqtt: {
        host,
        tls: mqttTls ?? before.mqttTls,
        port: mqttPort ?? before.mqttPort,
        username: mqttUsername ?? before.mqttUsername ?? '',
        prefix: mqttPrefix ?? before.mqttPrefix ?? '',
        ...(mqttPassword ? { password: mqttPassword } : {}),
      },
    },
    rest,
  }
}
