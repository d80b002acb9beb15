import { guessType, isIdentifier, isReservedIdentifier } from '@thingwright/thing-model'
import { Button, Select, Tag } from 'antd'
import { useDeferredValue, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import type { Body } from '../../lib/api-client.ts'
import { notify } from '../../lib/notify.ts'
import { useMay } from '../../lib/permissions.ts'
import { useCache } from '../../lib/server-state/cache.ts'
import { useAct } from '../../lib/server-state/use-act.ts'
import { useRead } from '../../lib/server-state/use-read.ts'
import css from './lora.module.css'

interface KnownModel {
  properties: { identifier: string }[]
  events?: object[]
  services?: object[]
}

/** The fields that a codec decoded, and the way from each into the thing model of a product that uses the codec. */
export function CodecFields({ data }: { data: Record<string, unknown> }) {
  const { t } = useTranslation('lora')
  const mayRead = useMay('products.list')
  const mayWrite = useMay('products.setThingModel')
  const cache = useCache()
  const [productId, setProductId] = useState<string | null>(null)
  const [typed, setTyped] = useState('')
  const q = useDeferredValue(typed.trim())
  const found = useRead(
    'products.list',
    { query: { limit: 50, linkType: 'lorawan', ...(q === '' ? {} : { q }) } },
    { enabled: mayRead, keep: true, staleTime: 30_000 },
  )
  const product = useRead('products.get', { params: { id: productId ?? '' } }, { enabled: productId !== null })
  const model = product.data ? ((product.data.thingModel ?? { properties: [] }) as unknown as KnownModel) : null
  const known = new Set(model?.properties.map(({ identifier }) => identifier))
  const set = useAct('products.setThingModel', {
    always: true,
    done: next => {
      cache.put('products.get', { params: { id: next.id } }, next)
      notify.success(t('codec.fields.added'))
    },
  })
  const fields = Object.entries(data).map(([identifier, value]) => ({
    identifier,
    value,
    dataType: guessType([value]),
    fits: isIdentifier(identifier) && !isReservedIdentifier(identifier, 'property') && value !== null,
  }))
  const fresh = fields.filter(({ identifier, fits }) => fits && !known.has(identifier))
  const add = (chosen: typeof fields) => {
    if (!product.data || !model) return
    const properties = [
      ...model.properties,
      ...chosen.map(({ identifier, dataType }) => ({ identifier, name: identifier, dataType, access: 'r' })),
    ]
    const { events = [], services = [] } = model
    const body = { version: product.data.version, properties, events, services } as unknown
    void set.run({ params: { id: product.data.id }, body: body as Body<'products.setThingModel'> })
  }
  if (!mayRead || fields.length === 0) return null
  return (
    <div className={css.stack}>
      <div className={css.row}>
        <strong>{t('codec.fields.title')}</strong>
        <Select
          aria-label={t('codec.fields.product')}
          placeholder={t('codec.fields.product')}
          style={{ minWidth: 220 }}
          value={productId}
          showSearch={{ filterOption: false, onSearch: setTyped }}
          options={(found.data?.items ?? []).map(({ id, name }) => ({ value: id, label: name }))}
          notFoundContent={t('codec.fields.noProduct')}
          onChange={setProductId}
        />
        {mayWrite && model && fresh.length > 1 && (
          <Button disabled={set.pending} onClick={() => add(fresh)}>
            {t('codec.fields.addAll', { text: fresh.length })}
          </Button>
        )}
        {product.data && (
          <Link to={`/manage/product/ProductSet/ProductSetInfo?id=${product.data.id}`}>
            {t('codec.fields.toModel')}
          </Link>
        )}
      </div>
      <p className={css.quiet}>{t('codec.fields.hint')}</p>
      <ul className={css.fieldList}>
        {fields.map(field => (
          <li key={field.identifier} className={css.row}>
            <code className={css.mono}>{field.identifier}</code>
            <code className={css.mono}>{JSON.stringify(field.value)}</code>
            <Tag>{t(`codec.fields.types.${field.dataType.type}`, { defaultValue: field.dataType.type })}</Tag>
            {!field.fits ? (
              <span className={css.quiet}>{t('codec.fields.cannot')}</span>
            ) : model === null ? null : known.has(field.identifier) ? (
              <span className={css.quiet}>{t('codec.fields.there')}</span>
            ) : (
              mayWrite && (
                <Button size="small" disabled={set.pending} onClick={() => add([field])}>
                  {t('codec.fields.add')}
                </Button>
              )
            )}
          </li>
        ))}
      </ul>
    </div>
  )
}
