import type { ProductDetail } from '@thingwright/contracts/products.contract'
import { Segmented } from 'antd'
import { type ReactNode, useMemo, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import type { Reply } from '../../../lib/api-client.ts'
import { CopyButton, CopyId } from '../../../ui/copy-id.tsx'
import { Facts, Panel } from '../../../ui/panel.tsx'
import { devicesOfProduct } from '../addresses.ts'
import { modelOf } from '../hooks.ts'
import { examplePosts } from '../model/example-payload.ts'
import products from '../products.module.css'
import css from './product-link.module.css'
import { SNIPPETS_OF, type SnippetName, snippetOf, WAYS, type Way, type WayFacts } from './snippets.ts'

const WAY_OF: Readonly<Record<string, Way>> = {
  tcp: 'tcp',
  udp: 'udp',
  modbus_rtu: 'modbus',
  modbus_tcp: 'modbus',
  http: 'http',
  websocket: 'websocket',
  coap: 'coap',
}

/** Where devices connect, way by way, with code to paste. The way of the product's link type comes first. */
export function Ways({
  product,
  access,
  ownPort,
}: {
  product: ProductDetail
  /** Null: the installation cannot be asked (no device yet). */
  access: Reply<'devices.access'> | null | undefined
  ownPort: number | null
}) {
  const { t } = useTranslation('product-link')
  const first = WAY_OF[product.linkType] ?? 'mqtt'
  const [way, setWay] = useState<Way>(first)
  const [names, setNames] = useState<Partial<Record<Way, SnippetName>>>({})
  const [now] = useState(() => Date.now())
  const model = useMemo(() => modelOf(product.thingModel), [product.thingModel])
  const json = useMemo(() => JSON.stringify(examplePosts(model, now).plain), [model, now])
  const facts = factsOf(product, access ?? null, ownPort, t('secretPlace'))
  const ways = [first, ...WAYS.filter(each => each !== first && (each !== 'modbus' || first === 'modbus'))]
  const chosen = names[way] ?? SNIPPETS_OF[way][0]!
  const raw = way === 'tcp' || way === 'udp' || way === 'modbus'
  const payload = raw && product.format.kind !== 'json' ? '#DTU,30.2,41' : json
  const text = snippetOf(way, chosen, { ...facts, payload })
  return (
    <Panel title={t('ways.title')} hint={t('ways.hint')}>
      <div className={css.ways}>
        <Segmented
          value={way}
          options={ways.map(each => ({ value: each, label: t(`ways.way.${each}`) }))}
          onChange={next => setWay(next as Way)}
        />
      </div>
      {access === null && (
        <p className={css.explain} style={{ marginBottom: 12 }}>
          {t('ways.guess')} <Link to={`${devicesOfProduct(product.id)}&create=1`}>{t('ways.addDevice')}</Link>
        </p>
      )}
      <Facts items={addressesOf(way, facts, access ?? null, t)} />
      <div className={css.snippets}>
        <Segmented
          value={chosen}
          options={SNIPPETS_OF[way].map(each => ({ value: each, label: t(`ways.snippet.${each}`) }))}
          onChange={next => setNames({ ...names, [way]: next as SnippetName })}
        />
        <div className={products.example} data-testid="snippet">
          <pre dir="ltr">{text}</pre>
          <CopyButton value={text} />
        </div>
        <p className={css.quiet}>{t('ways.placeholders')}</p>
      </div>
    </Panel>
  )
}

function factsOf(
  product: ProductDetail,
  access: Reply<'devices.access'> | null,
  ownPort: number | null,
  secret: string,
): Omit<WayFacts, 'payload'> {
  const { protocol, host } = window.location
  const origin = access ? new URL(access.httpUrl).origin : window.location.origin
  const ws = access ? new URL(access.wsUrl).origin : `${protocol === 'https:' ? 'wss' : 'ws'}://${host}`
  return {
    host: access?.host ?? window.location.hostname,
    mqttPort: access?.mqttPort ?? 1883,
    tcpPort: ownPort ?? access?.tcpPort ?? 6001,
    udpPort: ownPort ?? access?.udpPort ?? 6001,
    coapPort: access?.coapPort ?? 5683,
    base: `${origin}/device/v1/${product.productKey}/{deviceNo}`,
    wsUrl: `${ws}/mqtt`,
    deviceWsUrl: `${ws}/device/ws`,
    productKey: product.productKey,
    deviceNo: '{deviceNo}',
    secret,
  }
}

function addressesOf(
  way: Way,
  f: Omit<WayFacts, 'payload'>,
  access: Reply<'devices.access'> | null,
  t: (key: string) => string,
): { label: ReactNode; value: ReactNode; wide?: boolean }[] {
  const copy = (label: string, value: string, wide = false) => ({ label, value: <CopyId value={value} />, wide })
  const username = `${f.productKey}/{deviceNo}`
  switch (way) {
    case 'tcp':
    case 'modbus':
      return [
        copy(t('ways.address'), `tcp://${f.host}:${f.tcpPort}`),
        copy(t('ways.registerLine'), `${username}/{deviceSecret}\\r\\n`, true),
      ]
    case 'udp':
      return [
        copy(t('ways.address'), `udp://${f.host}:${f.udpPort}`),
        copy(t('ways.registerLine'), `${username}/{deviceSecret}`, true),
      ]
    case 'mqtt':
      return [
        copy('MQTT', `mqtt://${f.host}:${f.mqttPort}`),
        ...(access?.mqttsPort === null ? [] : [copy('MQTT (TLS)', `mqtts://${f.host}:${access?.mqttsPort ?? 8883}`)]),
        copy('MQTT (WebSocket)', f.wsUrl),
        copy(t('ways.username'), username),
        { label: t('ways.password'), value: t('ways.passwordIs') },
      ]
    case 'http':
      return [copy('HTTP', f.base, true), { label: 'Authorization', value: <code>Bearer {'{deviceSecret}'}</code> }]
    case 'websocket':
      return [
        copy('WebSocket', f.deviceWsUrl, true),
        copy(t('ways.username'), username),
        { label: t('ways.password'), value: t('ways.passwordIs') },
      ]
    case 'coap':
      return [copy('CoAP', `coap://${f.host}:${f.coapPort}/device/v1/${username}/property`, true)]
  }
}
