import type { ProductDetail } from '@thingwright/contracts/products.contract'
import { UNKNOWN_KEYS } from '@thingwright/contracts/products.words'
import type { UnknownKeyView } from '@thingwright/contracts/unknown-keys.contract'
import { Button, Radio } from 'antd'
import { useMemo } from 'react'
import { useTranslation } from 'react-i18next'
import { notify } from '../../../lib/notify.ts'
import { useMay } from '../../../lib/permissions.ts'
import { useAct } from '../../../lib/server-state/use-act.ts'
import { useRead } from '../../../lib/server-state/use-read.ts'
import { groupsOf } from '../../../ui/group-tree/use-groups.ts'
import { DataTable } from '../../../ui/list-page/data-table.tsx'
import type { ListColumn } from '../../../ui/list-page/list-types.ts'
import { Facts, Panel } from '../../../ui/panel.tsx'
import { ErrorState } from '../../../ui/states.tsx'
import { TimeText } from '../../../ui/time-text.tsx'
import { modelOf, useProductChanged } from '../hooks.ts'

const LENIENT = ['dialects', 'on', 'off'] as const
const BAD_VALUES = ['drop', 'refuse'] as const
type Lenient = (typeof LENIENT)[number]

/** The model with the key where it belongs: a property, a parameter of an event, an output of a service. */
function withKey({ properties, events, services }: ReturnType<typeof modelOf>, { of, property }: UnknownKeyView) {
  const at = (kind: string, identifier: string) => of?.kind === kind && of.identifier === identifier
  return {
    properties: of === null ? [...properties, property] : properties,
    events: events.map(event =>
      at('event', event.identifier) ? { ...event, params: [...event.params, property] } : event,
    ),
    services: services.map(service =>
      at('service', service.identifier) ? { ...service, output: [...service.output, property] } : service,
    ),
  }
}

/** What becomes of messages that the model does not know all of, and the keys that devices sent besides. */
export function UnknownKeysPanel({ product }: { product: ProductDetail }) {
  const { t } = useTranslation('products')
  const mayWrite = useMay('products.update')
  const changed = useProductChanged()
  const { id, version } = product
  const { data, error, refetch } = useRead('unknownKeys.list', { params: { id } })
  const told = (said: 'saved' | 'unknown.added') => ({
    touches: [groupsOf('product'), 'unknownKeys' as const],
    always: true,
    done: (next: ProductDetail) => {
      changed(next)
      notify.success(t(said))
    },
  })
  const update = useAct('products.update', told('saved'))
  const setModel = useAct('products.setThingModel', told('unknown.added'))
  const clear = useAct('unknownKeys.clear', { always: true, done: () => notify.success(t('unknown.cleared')) })
  const busy = update.pending || setModel.pending || clear.pending
  const save = (body: {
    unknownKeys?: ProductDetail['unknownKeys']
    lenientTypes?: boolean | null
    badValues?: ProductDetail['badValues']
  }) => void update.run({ params: { id }, body: { version, ...body } })
  const add = (row: UnknownKeyView) => {
    const body = { version, ...withKey(modelOf(product.thingModel), row) }
    void setModel.run({ params: { id }, body: body as never })
  }
  const columns = useMemo<ListColumn<UnknownKeyView>[]>(
    () => [
      { key: 'key', title: t('unknown.key'), minWidth: 152, render: row => <code>{row.key}</code> },
      {
        key: 'samples',
        title: t('unknown.samples'),
        minWidth: 184,
        render: row => <code title={row.samples.join('\n')}>{row.samples.join('  ')}</code>,
      },
      { key: 'seen', title: t('unknown.seen'), width: 80, align: 'right', render: row => row.seen },
      { key: 'deviceNo', title: t('unknown.device'), width: 160, rank: 1, render: row => row.deviceNo },
      {
        key: 'lastAt',
        title: t('unknown.lastAt'),
        width: 152,
        rank: 2,
        render: row => <TimeText value={row.lastAt} />,
      },
    ],
    [t],
  )
  const lenient: Lenient = product.lenientTypes === null ? 'dialects' : product.lenientTypes ? 'on' : 'off'
  return (
    <Panel
      title={t('unknown.title')}
      hint={t('unknown.hint')}
      actions={
        mayWrite &&
        data &&
        data.items.length > 0 && (
          <Button disabled={busy} onClick={() => void clear.run({ params: { id } })}>
            {t('unknown.clear')}
          </Button>
        )
      }
    >
      <Facts
        items={[
          {
            label: t('unknown.rule'),
            wide: true,
            value: (
              <Radio.Group
                value={product.unknownKeys}
                disabled={!mayWrite || busy}
                aria-label={t('unknown.rule')}
                options={UNKNOWN_KEYS.map(value => ({ value, label: t(`unknown.rules.${value}`) }))}
                onChange={event => save({ unknownKeys: event.target.value as ProductDetail['unknownKeys'] })}
              />
            ),
          },
          {
            label: t('unknown.bad'),
            wide: true,
            value: (
              <Radio.Group
                value={product.badValues}
                disabled={!mayWrite || busy}
                aria-label={t('unknown.bad')}
                options={BAD_VALUES.map(value => ({ value, label: t(`unknown.bads.${value}`) }))}
                onChange={event => save({ badValues: event.target.value as ProductDetail['badValues'] })}
              />
            ),
          },
          {
            label: t('unknown.lenient'),
            wide: true,
            value: (
              <Radio.Group
                value={lenient}
                disabled={!mayWrite || busy}
                aria-label={t('unknown.lenient')}
                options={LENIENT.map(value => ({ value, label: t(`unknown.lenients.${value}`) }))}
                onChange={event =>
                  save({ lenientTypes: event.target.value === 'dialects' ? null : event.target.value === 'on' })
                }
              />
            ),
          },
        ]}
      />
      {error && !data ? (
        <ErrorState error={error} onRetry={() => void refetch()} />
      ) : (
        data &&
        data.items.length > 0 && (
          <DataTable
            label={t('unknown.title')}
            columns={[
              ...columns,
              {
                key: 'add',
                title: '',
                width: 152,
                render: row =>
                  row.inDraft ? (
                    t('unknown.inDraft')
                  ) : (
                    <Button
                      size="small"
                      disabled={!mayWrite || busy || row.property === null}
                      title={row.property === null ? t('unknown.noIdentifier') : undefined}
                      onClick={() => add(row)}
                    >
                      {t('unknown.add')}
                    </Button>
                  ),
              },
            ]}
            rows={data.items}
            rowKey={row => row.key}
            density="dense"
          />
        )
      )}
    </Panel>
  )
}
