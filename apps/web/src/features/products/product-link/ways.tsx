import type { ProductDetail } from '@thingwright/contracts/products.contract'
import { Segmented } from 'antd'
import { type ReactNode, useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { Reply } from '../../../lib/api-client.ts'
import { CopyButton, CopyId } from '../../../ui/copy-id.tsx'
import { Facts, Panel } from '../../../ui/panel.tsx'
import products from '../products.module.css'
import css from './product-link.module.css'

type Access = Reply<'devices.productAccess'>
type Way = Access['ways'][number]

/** Where devices connect, way by way, with code to paste, as the server makes it. The product's own way comes first. */
export function Ways({ product, access }: { product: ProductDetail; access: Access }) {
  const { t } = useTranslation('product-link')
  const [name, setName] = useState<string | null>(null)
  const [chosen, setChosen] = useState<Partial<Record<string, string>>>({})
  const way = access.ways.find(each => each.way === name) ?? access.ways[0]
  if (!way) return null
  const snippet = way.snippets.find(each => each.name === chosen[way.way]) ?? way.snippets[0]
  return (
    <Panel key={product.id} title={t('ways.title')} hint={t('ways.hint')}>
      <div className={css.ways}>
        <Segmented
          value={way.way}
          options={access.ways.map(each => ({ value: each.way, label: t(`ways.way.${each.way}`) }))}
          onChange={next => setName(next)}
        />
      </div>
      <Facts items={addressesOf(way, access, t)} />
      {snippet && (
        <div className={css.snippets}>
          <Segmented
            value={snippet.name}
            options={way.snippets.map(each => ({ value: each.name, label: t(`ways.snippet.${each.name}`) }))}
            onChange={next => setChosen({ ...chosen, [way.way]: next })}
          />
          <div className={products.example} data-testid="snippet">
            <pre dir="ltr">{snippet.text}</pre>
            <CopyButton value={snippet.text} />
          </div>
          <p className={css.quiet}>{t('ways.placeholders')}</p>
        </div>
      )}
    </Panel>
  )
}

const NAMES: Readonly<Record<Way['addresses'][number]['kind'], string | null>> = {
  mqtt: 'MQTT',
  mqtts: 'MQTT (TLS)',
  mqtt_ws: 'MQTT (WebSocket)',
  http: 'HTTP',
  websocket: 'WebSocket',
  coap: 'CoAP',
  tcp: null,
  udp: null,
}

function addressesOf(
  { way, addresses, register }: Way,
  { username, secretPlace }: Access,
  t: (key: string) => string,
): { label: ReactNode; value: ReactNode; wide?: boolean }[] {
  const named = way === 'mqtt' || way === 'websocket'
  return [
    ...addresses.map(({ kind, url }) => ({
      label: NAMES[kind] ?? t('ways.address'),
      value: <CopyId value={url} />,
      wide: way !== 'mqtt' && register === null,
    })),
    ...(register === null
      ? []
      : [
          {
            label: t('ways.registerLine'),
            value: <CopyId value={way === 'udp' ? register : `${register}\\r\\n`} />,
            wide: true,
          },
        ]),
    ...(named
      ? [
          { label: t('ways.username'), value: <CopyId value={username} /> },
          { label: t('ways.password'), value: t('ways.passwordIs') },
        ]
      : []),
    ...(way === 'http' ? [{ label: 'Authorization', value: <code>Bearer {secretPlace}</code> }] : []),
  ]
}
