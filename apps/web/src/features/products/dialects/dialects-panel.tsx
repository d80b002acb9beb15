import type { ProductDetail } from '@thingwright/contracts/products.contract'
import { Skeleton, Switch } from 'antd'
import { useMemo, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { notify } from '../../../lib/notify.ts'
import { useMay } from '../../../lib/permissions.ts'
import { CopyId } from '../../../ui/copy-id.tsx'
import { DataTable } from '../../../ui/list-page/data-table.tsx'
import type { ListColumn } from '../../../ui/list-page/list-types.ts'
import { Panel } from '../../../ui/panel.tsx'
import { ErrorState } from '../../../ui/states.tsx'
import css from './dialects.module.css'
import { FOREIGN_TOPICS, type ForeignTopic } from './topics.ts'
import { useDialects, useSetDialect } from './use-dialects.ts'

const NAMES = ['thingsboard', 'alibaba'] as const

/** Switches for firmware of other platforms: what it does, how such a device signs in, which topics it has. */
export function DialectsPanel({ product }: { product: ProductDetail }) {
  const { t } = useTranslation('dialects')
  const mayWrite = useMay('dialects.set')
  const { data, error, refetch } = useDialects(product.id)
  const set = useSetDialect(product.id, ({ body = {} }) => {
    for (const name of NAMES)
      if (body[name] !== undefined)
        notify.success(t(body[name] ? 'switchedOn' : 'switchedOff', { name: t(`${name}.title`) }))
  })
  const [asked, setAsked] = useState<string | null>(null)
  const columns = useMemo<ListColumn<ForeignTopic>[]>(
    () => [
      {
        key: 'topic',
        title: t('topic'),
        minWidth: 420,
        render: line => <CopyId value={line.topic.replace('{productKey}', product.productKey)} />,
      },
      {
        key: 'direction',
        title: t('direction'),
        width: 96,
        render: line => `${line.direction === 'up' ? '\u2191' : '\u2193'} ${t(`directions.${line.direction}`)}`,
      },
      { key: 'label', title: t('purpose'), width: 240, render: line => t(`purposes.${line.label}`) },
    ],
    [t, product.productKey],
  )
  return (
    <Panel title={t('title')} hint={t('hint')}>
      {error && !data ? (
        <ErrorState error={error} onRetry={() => void refetch()} />
      ) : !data ? (
        <Skeleton active paragraph={{ rows: 3 }} />
      ) : (
        NAMES.map(name => (
          <section key={name} className={css.dialect}>
            <div className={css.row}>
              <div className={css.words}>
                <h3 id={`dialect-${name}`}>{t(`${name}.title`)}</h3>
                <p>{t(`${name}.text`)}</p>
              </div>
              <Switch
                checked={data[name]}
                disabled={!mayWrite}
                loading={set.pending && asked === name}
                aria-labelledby={`dialect-${name}`}
                onChange={on => {
                  setAsked(name)
                  void set.run({ params: { id: product.id }, body: { [name]: on } })
                }}
              />
            </div>
            {data[name] && (
              <>
                <p className={css.signIn}>{t(`${name}.signIn`, { productKey: product.productKey })}</p>
                <div className={css.table}>
                  <DataTable
                    label={t(`${name}.title`)}
                    columns={columns}
                    rows={FOREIGN_TOPICS[name]}
                    rowKey={line => `${line.direction} ${line.topic}`}
                    density="dense"
                  />
                </div>
              </>
            )}
          </section>
        ))
      )}
    </Panel>
  )
}
