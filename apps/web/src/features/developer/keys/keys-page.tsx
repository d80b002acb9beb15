import { PlusOutlined } from '@ant-design/icons'
import type { ApiKeyView, ApiKeyWithSecret } from '@thingwright/contracts/developer.contract'
import { API_KEY_STATES } from '@thingwright/contracts/developer.words'
import { Button } from 'antd'
import { lazy, Suspense, useCallback, useMemo, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useMay } from '../../../lib/permissions.ts'
import { ListPage, type ListPageProps } from '../../../ui/list-page/list-page.tsx'
import type { ListFilter, RowAction } from '../../../ui/list-page/list-types.ts'
import { useListState } from '../../../ui/list-page/use-list-state.ts'
import { PermissionGate } from '../../../ui/permission-gate.tsx'
import { fetchKeysOf, useKeyChoices } from '../hooks.ts'
import { keyColumns } from './key-columns.tsx'
import { isOver } from './key-state.tsx'

const KeyForm = lazy(async () => ({ default: (await import('./key-form.tsx')).KeyForm }))
const KeyDetail = lazy(async () => ({ default: (await import('./key-detail.tsx')).KeyDetail }))
const KeyDialog = lazy(async () => ({ default: (await import('./key-dialogs.tsx')).KeyDialog }))
const KeySecret = lazy(async () => ({ default: (await import('./key-secret.tsx')).KeySecret }))

/** What can be asked about one key. */
export type KeyQuestion = 'rotate' | 'endOverlap' | 'takeOver' | 'revoke' | 'remove'
type Open =
  | { kind: 'create' }
  | { kind: 'edit' | 'detail' | KeyQuestion; apiKey: ApiKeyView }
  | { kind: 'secret'; apiKey: ApiKeyWithSecret; rotated: boolean }

const keyOf = (apiKey: ApiKeyView) => apiKey.id

/** The keys that other programs sign in with. @param userId in the centre of this end user; null: in the own centre */
export function KeysPage({
  tabs,
  userId,
}: {
  tabs?: NonNullable<ListPageProps<ApiKeyView>['tabs']>
  userId?: string | null
}) {
  const { t } = useTranslation('developer')
  const { t: words } = useTranslation('rights')
  const mayWrite = useMay('apiKeys.create')
  const choices = useKeyChoices().data
  const fetchPage = useMemo(() => fetchKeysOf(userId ?? null), [userId])
  // The company takes keys of an end user away; only the end user makes and changes them.
  const isOthers = typeof userId === 'string'
  const [open, setOpen] = useState<Open | null>(null)
  const close = () => setOpen(null)
  const filters = useMemo<ListFilter[]>(
    () => [
      {
        key: 'state',
        label: t('keys.stateTitle'),
        options: API_KEY_STATES.map(value => ({
          value,
          label: t(`keys.state.${value}`),
        })),
      },
    ],
    [t],
  )
  const state = useListState(filters)
  const columns = useMemo(() => keyColumns(t, words, apiKey => setOpen({ kind: 'detail', apiKey })), [t, words])
  const rowActions = useCallback(
    (apiKey: ApiKeyView): RowAction[] => {
      const ask = (kind: 'edit' | KeyQuestion, danger = false): RowAction => ({
        key: kind,
        label: t(`keys.${kind}`),
        danger,
        onClick: () => setOpen({ kind, apiKey }),
      })
      if (!mayWrite) return []
      if (isOthers) return [isOver(apiKey) ? ask('remove', true) : ask('revoke', true)]
      if (isOver(apiKey)) return [...(apiKey.state === 'expired' ? [ask('edit')] : []), ask('remove', true)]
      return [
        ask('edit'),
        ask('rotate'),
        ...(apiKey.previous ? [ask('endOverlap')] : []),
        ...(apiKey.mine ? [] : [ask('takeOver')]),
        ask('revoke', true),
      ]
    },
    [t, mayWrite, isOthers],
  )
  const create = isOthers ? undefined : (
    <PermissionGate of="apiKeys.create">
      <Button type="primary" icon={<PlusOutlined aria-hidden />} onClick={() => setOpen({ kind: 'create' })}>
        {t('keys.create')}
      </Button>
    </PermissionGate>
  )
  const made = (apiKey: ApiKeyWithSecret, rotated: boolean) => {
    setOpen({ kind: 'secret', apiKey, rotated })
  }
  return (
    <>
      <ListPage
        id="api-keys"
        operation="apiKeys.list"
        fetchPage={fetchPage}
        rowKey={keyOf}
        columns={columns}
        filters={filters}
        state={state}
        searchPlaceholder={t('keys.search')}
        title={tabs ? t('title') : t('tab.keys')}
        description={choices && !isOthers ? t('keys.lead', { limit: choices.limit }) : t('keys.ofOne')}
        actions={create}
        {...(tabs ? { tabs } : {})}
        rowActions={rowActions}
        actionsWidth={176}
        empty={{ title: t('keys.emptyTitle'), description: t('keys.emptyText'), action: create }}
        exportName="api-keys"
      />
      <Suspense>
        {open?.kind === 'create' && <KeyForm apiKey={null} onClose={close} onMade={apiKey => made(apiKey, false)} />}
        {open?.kind === 'edit' && <KeyForm apiKey={open.apiKey} onClose={close} onMade={() => undefined} />}
        {open?.kind === 'detail' && <KeyDetail apiKey={open.apiKey} onClose={close} />}
        {open?.kind === 'secret' && <KeySecret apiKey={open.apiKey} rotated={open.rotated} onClose={close} />}
        {open && 'apiKey' in open && isQuestion(open.kind) && (
          <KeyDialog
            question={open.kind}
            apiKey={open.apiKey}
            onClose={close}
            onRotated={apiKey => made(apiKey, true)}
          />
        )}
      </Suspense>
    </>
  )
}

const isQuestion = (kind: string): kind is KeyQuestion =>
  ['rotate', 'endOverlap', 'takeOver', 'revoke', 'remove'].includes(kind)
