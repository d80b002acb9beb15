import type { ApprovalView } from '@thingwright/contracts/operator.contract'
import { Button, Input, Modal, Skeleton } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Link, useSearchParams } from 'react-router'
import { download } from '../../../lib/api-client.ts'
import { every } from '../../../lib/every.ts'
import { locale } from '../../../lib/i18n.ts'
import { notify } from '../../../lib/notify.ts'
import { useMay } from '../../../lib/permissions.ts'
import { useAct } from '../../../lib/server-state/use-act.ts'
import { useRead } from '../../../lib/server-state/use-read.ts'
import { useWork } from '../../../lib/server-state/use-work.ts'
import { PageHeader } from '../../../ui/page-header.tsx'
import { Facts, Panel } from '../../../ui/panel.tsx'
import { EmptyState, ErrorState, NoPermissionState } from '../../../ui/states.tsx'
import { StatusTag } from '../../../ui/status-tag.tsx'
import { TabBar } from '../../../ui/tab-bar.tsx'
import { TimeText } from '../../../ui/time-text.tsx'
import css from '../operator.module.css'

const KIND = { open: 'processing', accepted: 'success', refused: 'error' } as const
const REREAD_MS = 30_000

/** What waits for an operator's word, whatever module brings it. */
export function ApprovalsPage() {
  const { t } = useTranslation('operator')
  const allowed = useMay('operator.approvals')
  const [search, setSearch] = useSearchParams()
  const state = search.get('state') === 'decided' ? 'decided' : 'open'
  const approvals = useRead(
    'operator.approvals',
    { query: { state } },
    { enabled: allowed, refetchInterval: every(REREAD_MS) },
  )
  if (!allowed) return <NoPermissionState of="operator.approvals" />
  return (
    <>
      <PageHeader title={t('approvals')} description={t('approvalsLead')} />
      <TabBar
        label={t('approvals')}
        items={[
          { key: 'open', label: t('open') },
          { key: 'decided', label: t('decided') },
        ]}
        active={state}
        onChange={key => setSearch({ state: key }, { replace: true })}
      />
      {approvals.isError ? (
        <Panel>
          <ErrorState error={approvals.error} onRetry={() => void approvals.refetch()} />
        </Panel>
      ) : !approvals.data ? (
        <Panel>
          <Skeleton active paragraph={{ rows: 6 }} />
        </Panel>
      ) : approvals.data.items.length === 0 ? (
        <Panel>
          <EmptyState
            title={t(state === 'open' ? 'nothingOpen' : 'nothingDecided')}
            description={t('nothingOpenText')}
          />
        </Panel>
      ) : (
        <div className={css.approvals}>
          {approvals.data.items.map(item => (
            <Approval key={`${item.kind}/${item.id}`} item={item} />
          ))}
        </div>
      )}
    </>
  )
}

function Approval({ item }: { item: ApprovalView }) {
  const { t } = useTranslation('operator')
  const mayWrite = useMay('operator.decide')
  const [refusing, setRefusing] = useState(false)
  const [reason, setReason] = useState('')
  const act = useAct('operator.decide', {
    done: (_, { body: { accept } }) => {
      notify.success(t(accept ? 'acceptedNow' : 'refusedNow'))
      setRefusing(false)
    },
  })
  const { attempt } = useWork()
  const params = { kind: item.kind, id: item.id }
  const decide = (accept: boolean) => act.run({ params, body: { accept, reason } })
  return (
    <Panel
      title={item.title}
      hint={
        <>
          {item.kindTitle[locale()]} · <Link to={`/operator/companies?id=${item.tenantId}`}>{item.companyName}</Link> ·{' '}
          {item.submittedBy} · <TimeText value={item.submittedAt} mode="absolute" />
        </>
      }
      actions={
        item.state === 'open' && mayWrite ? (
          <>
            <Button danger disabled={act.pending} onClick={() => setRefusing(true)}>
              {t('refuse')}
            </Button>
            <Button type="primary" loading={act.pending} onClick={() => void decide(true)}>
              {t('accept')}
            </Button>
          </>
        ) : (
          <StatusTag kind={KIND[item.state]}>{t(`approval.${item.state}`)}</StatusTag>
        )
      }
    >
      <Facts items={item.facts.map(fact => ({ label: fact.label[locale()], value: fact.value }))} />
      {item.files.length > 0 && (
        <div className={css.files}>
          {item.files.map(file => (
            <Button
              key={file.id}
              size="small"
              onClick={() =>
                void attempt(() =>
                  download('operator.approvalFile', file.name, { params: { ...params, fileId: file.id } }),
                )
              }
            >
              {file.name}
            </Button>
          ))}
        </div>
      )}
      {item.state !== 'open' && (
        <p className={css.muted} style={{ marginTop: 12 }}>
          {item.decidedBy} · <TimeText value={item.decidedAt} mode="absolute" />
          {item.reason && ` · ${item.reason}`}
        </p>
      )}
      {refusing && (
        <Modal
          open
          width={480}
          title={t('refuseTitle')}
          okText={t('refuse')}
          cancelText={t('cancel')}
          okButtonProps={{ danger: true, loading: act.pending, disabled: reason.trim() === '' }}
          onOk={() => void decide(false)}
          onCancel={() => setRefusing(false)}
        >
          <p className={css.lead}>{t('refuseText')}</p>
          <Input.TextArea
            aria-label={t('reason')}
            placeholder={t('reason')}
            rows={3}
            maxLength={500}
            value={reason}
            onChange={event => setReason(event.target.value)}
          />
        </Modal>
      )}
    </Panel>
  )
}
