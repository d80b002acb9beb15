import type { CardSourceView } from '@thingwright/contracts/card-orders.contract'
import { CARRIER_KINDS } from '@thingwright/contracts/sim-cards.words'
import { Button, Drawer, Skeleton } from 'antd'
import { useMemo, useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { Body } from '../../../lib/api-client.ts'
import { formatNumber } from '../../../lib/format.ts'
import { notify } from '../../../lib/notify.ts'
import { useAct } from '../../../lib/server-state/use-act.ts'
import { useRead } from '../../../lib/server-state/use-read.ts'
import type { Field, Values } from '../../../ui/schema-form/field.ts'
import { FormDrawer } from '../../../ui/schema-form/form-drawer.tsx'
import { EmptyState, ErrorState } from '../../../ui/states.tsx'
import css from '../money.module.css'

/** Accounts at carriers that sold cards belong to. */
export function CardSourcesDrawer({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation('money')
  const read = useRead('cardDesk.sources', {})
  const [open, setOpen] = useState<CardSourceView | 'new' | null>(null)
  const add = (
    <Button type="primary" onClick={() => setOpen('new')}>
      {t('cardDesk.addSource')}
    </Button>
  )
  return (
    <Drawer open size={720} title={t('cardDesk.sources')} onClose={onClose} extra={add}>
      {read.isError ? (
        <ErrorState error={read.error} onRetry={() => void read.refetch()} />
      ) : !read.data ? (
        <Skeleton active />
      ) : read.data.items.length === 0 ? (
        <EmptyState title={t('cardDesk.sourcesEmpty')} action={add} />
      ) : (
        <table className={css.table}>
          <thead>
            <tr>
              <th scope="col">{t('cardDesk.sourceName')}</th>
              <th scope="col">{t('cardDesk.kind')}</th>
              <th scope="col" className={css.number}>
                {t('cardDesk.free')}
              </th>
              <th scope="col" className={css.number}>
                {t('cardDesk.taken')}
              </th>
              <th scope="col">{t('assets.act')}</th>
            </tr>
          </thead>
          <tbody>
            {read.data.items.map(source => (
              <tr key={source.id}>
                <td>
                  {source.name} {source.simulated && <span className={css.simulated}>{t('cardDesk.simulated')}</span>}
                </td>
                <td>{t(`cardDesk.kindOf.${source.kind}`)}</td>
                <td className={css.number}>{formatNumber(source.free)}</td>
                <td className={css.number}>{formatNumber(source.shipped)}</td>
                <td>
                  <Button type="link" size="small" onClick={() => setOpen(source)}>
                    {t('desk.edit')}
                  </Button>
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      {open && <SourceForm source={open === 'new' ? null : open} onClose={() => setOpen(null)} />}
    </Drawer>
  )
}

function SourceForm({ source, onClose }: { source: CardSourceView | null; onClose: () => void }) {
  const { t } = useTranslation('money')
  const create = useAct('cardDesk.createSource')
  const update = useAct('cardDesk.updateSource')
  const fields = useMemo<Field[]>(() => {
    const kindOf = (values: Values) => source?.kind ?? values.kind
    const secret = {
      kind: 'string',
      secret: true,
      keepSpaces: true,
      maxLength: 200,
      required: source === null,
      ...(source ? { help: t('cardDesk.secretHelp') } : {}),
    } as const
    return [
      { kind: 'string', key: 'name', label: t('cardDesk.sourceName'), required: true, maxLength: 64 },
      {
        kind: 'enum',
        key: 'kind',
        label: t('cardDesk.kind'),
        required: true,
        disabled: source !== null,
        options: CARRIER_KINDS.map(value => ({ value, label: t(`cardDesk.kindOf.${value}`) })),
      },
      { kind: 'string', key: 'baseUrl', label: t('cardDesk.baseUrl'), help: t('cardDesk.baseUrlHelp'), maxLength: 200 },
      { kind: 'string', key: 'account', label: t('cardDesk.account'), required: true, maxLength: 100 },
      { ...secret, key: 'password', label: t('cardDesk.password'), visible: values => kindOf(values) !== 'dcp' },
      { ...secret, key: 'secretKey', label: t('cardDesk.secretKey'), visible: values => kindOf(values) !== 'onelink' },
    ]
  }, [t, source])
  const initial = useMemo(
    () =>
      source
        ? { name: source.name, kind: source.kind, baseUrl: source.baseUrl, account: source.account }
        : { kind: 'onelink' },
    [source],
  )
  return (
    <FormDrawer
      title={t(source ? 'cardDesk.editSource' : 'cardDesk.addSource')}
      fields={fields}
      initial={initial}
      submitText={t('save')}
      onSubmit={async (values, newer) => {
        const { kind, ...given } = values
        const filled = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== null && value !== ''))
        if (source)
          await update.send({
            params: { id: source.id },
            body: { ...filled, version: newer ?? source.version } as Body<'cardDesk.updateSource'>,
          })
        else await create.send({ body: { ...filled, kind } as Body<'cardDesk.createSource'> })
        notify.success(t('cardDesk.saved'))
        onClose()
      }}
      onClose={onClose}
    />
  )
}
