import type { CommandView } from '@thingwright/contracts/commands.contract'
import { COMMAND_STATES } from '@thingwright/contracts/commands.words'
import type { DeviceView } from '@thingwright/contracts/devices.contract'
import { Button, Select } from 'antd'
import { useMemo, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useSearchParams } from 'react-router'
import { call } from '../../../lib/api-client.ts'
import { epochOf, formatNumber } from '../../../lib/format.ts'
import { locale } from '../../../lib/i18n.ts'
import { notify } from '../../../lib/notify.ts'
import { useMay } from '../../../lib/permissions.ts'
import { personName } from '../../../lib/person-name.ts'
import { useAct } from '../../../lib/server-state/use-act.ts'
import { useWork } from '../../../lib/server-state/use-work.ts'
import { spaced } from '../../../ui/command-kit/hex-bytes.tsx'
import { sendGuarded } from '../../../ui/command-kit/send-guarded.ts'
import { DataTable } from '../../../ui/list-page/data-table.tsx'
import type { ListColumn, RowAction } from '../../../ui/list-page/list-types.ts'
import { Panel } from '../../../ui/panel.tsx'
import { EmptyState, ErrorState } from '../../../ui/states.tsx'
import { StatusTag } from '../../../ui/status-tag.tsx'
import { TimeText } from '../../../ui/time-text.tsx'
import shared from '../devices.module.css'
import { useThingModel } from '../hooks.ts'
import { CommandDetail } from './command-detail.tsx'
import { CommandSender } from './command-sender.tsx'
import { commandTitle } from './command-title.ts'
import { type CommandState, isFinal, kindOfState, reasonOf, repeatOf } from './command-words.ts'
import css from './commands.module.css'
import { useCommands } from './use-commands.ts'

const SOURCES: readonly CommandView['source'][] = [
  'user',
  'api',
  'schedule',
  'trigger',
  'timed_task',
  'assistant',
  'page',
  'firmware',
]

/** Parameters in one line; bytes as bytes. */
function briefOf(command: CommandView): string {
  if (command.template) return JSON.stringify(command.template.params)
  // A notice holds an address and a hash: the version is what one looks for.
  if (command.kind === 'firmware')
    return `${String(command.params.module ?? '')} ${String(command.params.version ?? '')}`
  return command.kind === 'raw' ? spaced(String(command.params.hex ?? '')) : JSON.stringify(command.params)
}

/** Commands: sent at the left, their way at the right, changing while one looks. */
export function CommandsTab({ device }: { device: DeviceView }) {
  const { t } = useTranslation('devices')
  const { t: k } = useTranslation('command-kit')
  const english = locale() === 'en'
  const mayCommand = useMay('commands.cancel')
  const { model } = useThingModel(device.productId)
  const [params, setParams] = useSearchParams()
  const state = COMMAND_STATES.find(each => each === params.get('state')) ?? null
  const source = SOURCES.find(each => each === params.get('source')) ?? null
  const { query, items, put } = useCommands(device.id, state, source)
  // What becomes of a command is told by the live socket.
  const cancel = useAct('commands.cancel', {
    own: false,
    done: reply => {
      put(reply)
      notify.success(t('cancelled'))
    },
  })
  const { attempt } = useWork()
  const [shown, setShown] = useState<string | null>(null)
  const detail = items.find(command => command.id === shown)
  const usable = device.lifecycle !== 'disabled' && device.lifecycle !== 'recycled'
  const columns = useMemo<ListColumn<CommandView>[]>(() => {
    const titleOf = (command: CommandView) => commandTitle(command, model, english, t)
    return [
      { key: 'at', title: t('sentTime'), width: 132, render: command => <TimeText value={command.createdAt} /> },
      {
        key: 'what',
        title: t('command'),
        minWidth: 180,
        render: command => (
          <span className={css.commandName}>
            <b title={titleOf(command)}>{titleOf(command)}</b>
            <code title={briefOf(command)}>{briefOf(command)}</code>
          </span>
        ),
      },
      {
        key: 'state',
        title: t('state'),
        width: 116,
        render: command => (
          <StatusTag
            kind={kindOfState(command.state)}
            {...(reasonOf(command, t) ? { title: reasonOf(command, t) } : {})}
          >
            {t(`commandState.${command.state}`)}
          </StatusTag>
        ),
      },
      {
        key: 'took',
        title: t('took'),
        width: 96,
        align: 'right',
        render: command => {
          const end = epochOf(command.finishedAt)
          return end === null ? '–' : `${formatNumber(end - (epochOf(command.createdAt) ?? end))} ms`
        },
      },
      {
        key: 'who',
        title: t('operator'),
        width: 112,
        rank: 1,
        render: command => personName(command.operatorName, t(`source.${command.source}`)),
      },
    ]
  }, [t, model, english])
  const repeat = async (command: CommandView) => {
    await attempt(async () => {
      put(
        await sendGuarded(answers =>
          call('commands.create', { params: { id: device.id }, body: { ...repeatOf(command), ...answers } }),
        ),
      )
      notify.success(k('repeated'))
    })
  }
  const actions = (command: CommandView): RowAction[] => [
    { key: 'show', label: t('details'), onClick: () => setShown(command.id) },
    ...(mayCommand && usable && isFinal(command.state) && command.kind !== 'firmware'
      ? [{ key: 'repeat', label: k('repeat'), onClick: () => void repeat(command) }]
      : []),
    ...(mayCommand && command.state === 'queued' && command.kind !== 'firmware'
      ? [
          {
            key: 'cancel',
            label: t('takeBack'),
            danger: true,
            onClick: () => void cancel.run({ params: { id: device.id, commandId: command.id } }),
          },
        ]
      : []),
  ]
  return (
    <div className={css.commands}>
      {mayCommand && usable && (
        <Panel title={t('sendCommand')}>
          {model ? <CommandSender device={device} model={model} onSent={put} /> : <div className={shared.tabBone} />}
        </Panel>
      )}
      <Panel
        title={t('commandHistory')}
        flush
        actions={
          <>
            <Select
              allowClear
              aria-label={t('state')}
              placeholder={t('state')}
              style={{ width: 132 }}
              value={state}
              options={COMMAND_STATES.map(value => ({ value, label: t(`commandState.${value}`) }))}
              onChange={(next: CommandState | null | undefined) =>
                setParams(
                  before => {
                    const changed = new URLSearchParams(before)
                    if (next) changed.set('state', next)
                    else changed.delete('state')
                    return changed
                  },
                  { replace: true, preventScrollReset: true },
                )
              }
            />
            <Select
              allowClear
              aria-label={t('sourceWord')}
              placeholder={t('sourceWord')}
              style={{ width: 132 }}
              value={source}
              options={SOURCES.map(value => ({ value, label: t(`source.${value}`) }))}
              onChange={(next: CommandView['source'] | null | undefined) =>
                setParams(
                  before => {
                    const changed = new URLSearchParams(before)
                    if (next) changed.set('source', next)
                    else changed.delete('source')
                    return changed
                  },
                  { replace: true, preventScrollReset: true },
                )
              }
            />
            <Button loading={query.isRefetching} onClick={() => void query.refetch()}>
              {t('refresh')}
            </Button>
          </>
        }
      >
        {query.isError && !query.data ? (
          <ErrorState error={query.error} onRetry={() => void query.refetch()} />
        ) : !query.isPending && items.length === 0 ? (
          <EmptyState title={t('noCommands')} description={t('noCommandsText')} />
        ) : (
          <DataTable
            label={t('commandHistory')}
            columns={columns}
            rows={items}
            rowKey={command => command.id}
            actions={actions}
            actionsWidth={english ? 152 : 112}
            skeleton={query.isPending ? 5 : 0}
          />
        )}
        {query.hasNextPage && (
          <div className={shared.moreRow}>
            <Button loading={query.isFetchingNextPage} onClick={() => void query.fetchNextPage()}>
              {t('loadMore')}
            </Button>
          </div>
        )}
      </Panel>
      {detail && <CommandDetail command={detail} onClose={() => setShown(null)} />}
      {/* Kept for readers of the page: how many still wait. */}
      <span className={css.srOnly} aria-live="polite">
        {t('pendingCommands', { count: items.filter(command => !isFinal(command.state)).length })}
      </span>
    </div>
  )
}
