import type { CommandScheduleView, CommandTemplateView } from '@thingwright/contracts/command-templates.contract'
import { Button, Modal } from 'antd'
import { lazy, Suspense, useMemo, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { formatNumber } from '../../../lib/format.ts'
import { notify } from '../../../lib/notify.ts'
import { useMay } from '../../../lib/permissions.ts'
import { useAct } from '../../../lib/server-state/use-act.ts'
import { CommandAskHost } from '../../../ui/command-kit/command-ask.tsx'
import { DataTable } from '../../../ui/list-page/data-table.tsx'
import type { ListColumn, RowAction } from '../../../ui/list-page/list-types.ts'
import { Facts, Panel, Stack } from '../../../ui/panel.tsx'
import { EmptyState, ErrorState } from '../../../ui/states.tsx'
import { StatusTag } from '../../../ui/status-tag.tsx'
import { TimeText } from '../../../ui/time-text.tsx'
import { modelOf, useProduct, useProductId } from '../hooks.ts'
import css from './orders.module.css'
import { ORDERED, useRules, useSchedules, useTemplates } from './use-orders.ts'

const TemplateDrawer = lazy(async () => ({ default: (await import('./template-drawer.tsx')).TemplateDrawer }))
const TestDrawer = lazy(async () => ({ default: (await import('./test-drawer.tsx')).TestDrawer }))
const ScheduleDrawer = lazy(async () => ({ default: (await import('./schedule-drawer.tsx')).ScheduleDrawer }))
const RulesDrawer = lazy(async () => ({ default: (await import('./rules-drawer.tsx')).RulesDrawer }))

type Open =
  | { what: 'template'; of: CommandTemplateView | null }
  | { what: 'test'; of: CommandTemplateView }
  | { what: 'schedule'; of: CommandScheduleView | null }
  | { what: 'rules' }
  | { what: 'remove'; template: CommandTemplateView }

/** Named commands of a product, what is read periodically, and what holds for all its commands. */
export function ProductOrdersPage() {
  const { t } = useTranslation('orders')
  const id = useProductId()
  const { data: product } = useProduct(id)
  const mayWrite = useMay('commandTemplates.order')
  const mayCommand = useMay('commands.create')
  const templates = useTemplates(id)
  const schedules = useSchedules(id)
  const rules = useRules(id)
  const [open, setOpen] = useState<Open | null>(null)
  const model = useMemo(() => modelOf(product?.publishedModel ?? product?.thingModel ?? null), [product])
  const properties = useMemo(() => model.properties.map(property => property.identifier), [model])
  const items = templates.data?.items ?? []
  const told = (said: 'duplicated' | 'removed') => ({
    touches: ORDERED,
    always: true,
    done: () => notify.success(t(said)),
  })
  const order = useAct('commandTemplates.order', { touches: ORDERED, always: true })
  const duplicate = useAct('commandTemplates.duplicate', told('duplicated'))
  const remove = useAct('commandTemplates.remove', told('removed'))
  const removeSchedule = useAct('commandTemplates.removeSchedule', told('removed'))
  const move = (from: number, by: number) => {
    const ids = items.map(item => item.id)
    const [moved] = ids.splice(from, 1)
    if (!moved) return
    ids.splice(from + by, 0, moved)
    void order.run({ params: { id }, body: { ids } })
  }
  const columns = useMemo<ListColumn<CommandTemplateView>[]>(
    () => [
      {
        key: 'name',
        title: t('name'),
        minWidth: 180,
        render: item => (
          <span className={css.name}>
            <b title={item.name}>{item.name}</b>
            <code>{item.code}</code>
          </span>
        ),
      },
      { key: 'kind', title: t('payloadKind'), width: 120, render: item => t(`payload.${item.body.payload.kind}`) },
      {
        key: 'params',
        title: t('params'),
        minWidth: 140,
        render: item => (
          <span title={item.body.params.map(param => param.name).join(', ')}>
            {item.body.params.map(param => param.name).join(', ') || '–'}
          </span>
        ),
      },
      {
        key: 'danger',
        title: t('danger'),
        width: 120,
        render: item =>
          item.body.danger ? (
            <StatusTag kind="warning">{t(`dangers.${item.body.danger.level}`)}</StatusTag>
          ) : (
            t('dangers.none')
          ),
      },
      { key: 'at', title: t('changedAt'), width: 132, render: item => <TimeText value={item.updatedAt} /> },
    ],
    [t],
  )
  const actions = (item: CommandTemplateView): RowAction[] => {
    const at = items.findIndex(each => each.id === item.id)
    return [
      ...(mayCommand ? [{ key: 'test', label: t('test'), onClick: () => setOpen({ what: 'test', of: item }) }] : []),
      ...(mayWrite
        ? [
            { key: 'edit', label: t('edit'), onClick: () => setOpen({ what: 'template', of: item }) },
            {
              key: 'copy',
              label: t('duplicate'),
              onClick: () => void duplicate.run({ params: { id, templateId: item.id } }),
            },
            { key: 'up', label: t('up'), disabled: at === 0, onClick: () => move(at, -1) },
            { key: 'down', label: t('down'), disabled: at === items.length - 1, onClick: () => move(at, 1) },
            {
              key: 'remove',
              label: t('remove'),
              danger: true,
              onClick: () => setOpen({ what: 'remove', template: item }),
            },
          ]
        : []),
    ]
  }
  const scheduleColumns = useMemo<ListColumn<CommandScheduleView>[]>(
    () => [
      { key: 'template', title: t('template'), minWidth: 180, render: item => item.templateName },
      {
        key: 'every',
        title: t('every'),
        width: 120,
        render: item => t('seconds', { count: item.everySeconds }),
      },
      {
        key: 'state',
        title: t('state'),
        width: 132,
        render: item => (
          <StatusTag kind={item.errorCode ? 'error' : item.enabled ? 'success' : 'disabled'}>
            {item.errorCode ?? t(item.enabled ? 'on' : 'off')}
          </StatusTag>
        ),
      },
      {
        key: 'sent',
        title: t('lastPeriod'),
        minWidth: 160,
        render: item => t('sentSkipped', { sent: formatNumber(item.sent), skipped: formatNumber(item.skipped) }),
      },
      { key: 'at', title: t('lastRun'), width: 132, render: item => <TimeText value={item.lastRunAt} /> },
    ],
    [t],
  )
  const scheduleActions = (item: CommandScheduleView): RowAction[] => [
    { key: 'edit', label: t('edit'), onClick: () => setOpen({ what: 'schedule', of: item }) },
    {
      key: 'remove',
      label: t('remove'),
      danger: true,
      onClick: () => void removeSchedule.run({ params: { id, scheduleId: item.id } }),
    },
  ]
  const close = () => setOpen(null)
  const said = rules.data?.rules
  const guarded = Object.values({ ...said?.properties, ...said?.services })
  return (
    <Stack>
      <CommandAskHost />
      <Panel
        title={t('templatesTitle')}
        hint={t('templatesHint')}
        flush
        actions={
          mayWrite && (
            <Button type="primary" onClick={() => setOpen({ what: 'template', of: null })}>
              {t('add')}
            </Button>
          )
        }
      >
        {templates.isError && !templates.data ? (
          <ErrorState error={templates.error} onRetry={() => void templates.refetch()} />
        ) : templates.isSuccess && items.length === 0 ? (
          <EmptyState title={t('noTemplates')} description={t('noTemplatesText')} />
        ) : (
          <div className={css.scroll}>
            <DataTable
              label={t('templatesTitle')}
              columns={columns}
              rows={items}
              rowKey={item => item.id}
              actions={mayWrite || mayCommand ? actions : undefined}
              skeleton={templates.isPending ? 3 : 0}
            />
          </div>
        )}
      </Panel>
      <Panel
        title={t('schedulesTitle')}
        hint={t('schedulesHint')}
        flush
        actions={
          mayWrite && (
            <Button
              disabled={!items.some(item => !item.body.danger)}
              onClick={() => setOpen({ what: 'schedule', of: null })}
            >
              {t('scheduleAdd')}
            </Button>
          )
        }
      >
        {schedules.isSuccess && schedules.data.items.length === 0 ? (
          <EmptyState title={t('noSchedules')} description={t('noSchedulesText')} />
        ) : (
          <div className={css.scroll}>
            <DataTable
              label={t('schedulesTitle')}
              columns={scheduleColumns}
              rows={schedules.data?.items ?? []}
              rowKey={item => item.id}
              actions={mayWrite ? scheduleActions : undefined}
              skeleton={schedules.isPending ? 2 : 0}
            />
          </div>
        )}
      </Panel>
      <Panel
        title={t('rulesTitle')}
        hint={t('rulesHint')}
        actions={mayWrite && rules.data && <Button onClick={() => setOpen({ what: 'rules' })}>{t('edit')}</Button>}
      >
        <Facts
          items={[
            {
              label: t('expiry'),
              value: t('hours', { count: Math.round((said?.expirySeconds ?? 86_400) / 360) / 10 }),
            },
            { label: t('collapse'), value: t(said?.collapse === false ? 'off' : 'on') },
            { label: t('confirmLabel'), value: t(`confirm.${said?.confirm ?? 'auto'}`) },
            { label: t('retries'), value: String(said?.retries ?? 0) },
            { label: t('pin'), value: t(rules.data?.pinSet ? 'pinSet' : 'pinNotSet') },
            { label: t('guarded'), value: formatNumber(guarded.length) },
          ]}
        />
      </Panel>
      <Suspense>
        {open?.what === 'template' && (
          <TemplateDrawer productId={id} template={open.of} properties={properties} onClose={close} />
        )}
        {open?.what === 'test' && <TestDrawer template={open.of} onClose={close} />}
        {open?.what === 'schedule' && (
          <ScheduleDrawer productId={id} templates={items} schedule={open.of} onClose={close} />
        )}
        {open?.what === 'rules' && rules.data && (
          <RulesDrawer productId={id} model={model} current={rules.data} onClose={close} />
        )}
      </Suspense>
      {open?.what === 'remove' && (
        <Modal
          open
          width={420}
          title={t('removeTitle')}
          okText={t('remove')}
          cancelText={t('cancel')}
          okButtonProps={{ danger: true }}
          onCancel={close}
          onOk={() => {
            const { template } = open
            close()
            void remove.run({ params: { id, templateId: template.id } })
          }}
        >
          <p>{t('removeText', { name: open.template.name })}</p>
        </Modal>
      )}
    </Stack>
  )
}
