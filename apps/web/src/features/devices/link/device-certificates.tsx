import type { DeviceCertificateView } from '@thingwright/contracts/device-identity.contract'
import type { DeviceView } from '@thingwright/contracts/devices.contract'
import { Button, Modal } from 'antd'
import { useMemo, useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { Reply } from '../../../lib/api-client.ts'
import { formatDate } from '../../../lib/format.ts'
import { notify } from '../../../lib/notify.ts'
import { useMay } from '../../../lib/permissions.ts'
import { useAct } from '../../../lib/server-state/use-act.ts'
import { useRead } from '../../../lib/server-state/use-read.ts'
import { CopyId } from '../../../ui/copy-id.tsx'
import { ShownOnce } from '../../../ui/device-access/shown-once.tsx'
import { DataTable } from '../../../ui/list-page/data-table.tsx'
import type { ListColumn } from '../../../ui/list-page/list-types.ts'
import { Panel } from '../../../ui/panel.tsx'
import { FormDrawer } from '../../../ui/schema-form/form-drawer.tsx'
import { EmptyState } from '../../../ui/states.tsx'
import { StatusTag } from '../../../ui/status-tag.tsx'

/** Client certificates of the device that were made here. */
export function DeviceCertificates({
  device,
  certificates,
  alive,
}: {
  device: DeviceView
  certificates: readonly DeviceCertificateView[]
  alive: boolean
}) {
  const { t } = useTranslation('device-identity')
  const maySecret = useMay('deviceIdentity.issueCertificate')
  const [issuing, setIssuing] = useState(false)
  const [made, setMade] = useState<Reply<'deviceIdentity.issueCertificate'> | null>(null)
  const [revoking, setRevoking] = useState<DeviceCertificateView | null>(null)
  const revokeCertificate = useAct('deviceIdentity.revokeCertificate', {
    done: () => {
      notify.success(t('revokedDone'))
      setRevoking(null)
    },
  })
  const columns = useMemo<ListColumn<DeviceCertificateView>[]>(
    () => [
      { key: 'serial', title: t('serial'), minWidth: 280, render: row => <CopyId value={row.serial} /> },
      { key: 'ca', title: t('ca'), width: 176, rank: 1, render: row => row.caName },
      {
        key: 'state',
        title: t('state'),
        width: 112,
        render: row => (
          <StatusTag kind={row.state === 'revoked' ? 'disabled' : row.expires === 'expired' ? 'error' : 'success'}>
            {t(row.state === 'revoked' ? 'revoked' : row.expires === 'expired' ? 'expired' : 'valid')}
          </StatusTag>
        ),
      },
      {
        key: 'until',
        title: t('validUntil'),
        width: 176,
        render: row =>
          row.state === 'active' && row.expires === 'soon' ? (
            <StatusTag kind="warning">{t('endsSoon', { date: formatDate(row.notAfter) })}</StatusTag>
          ) : (
            formatDate(row.notAfter)
          ),
      },
    ],
    [t],
  )
  const revoke = async () => {
    if (!revoking) return
    await revokeCertificate.run({ params: { id: device.id, certificateId: revoking.id } })
  }
  return (
    <Panel
      title={t('certificates')}
      hint={t('certificatesHint')}
      flush={certificates.length > 0}
      actions={
        maySecret && (
          <Button disabled={!alive} onClick={() => setIssuing(true)}>
            {t('issue')}
          </Button>
        )
      }
    >
      {certificates.length === 0 ? (
        <EmptyState title={t('noCertificates')} description={t('noCertificatesText')} />
      ) : (
        <div style={{ overflowX: 'auto' }}>
          <DataTable
            label={t('certificates')}
            columns={columns}
            rows={certificates}
            rowKey={row => row.id}
            density="dense"
            {...(maySecret
              ? {
                  actionsWidth: 96,
                  actions: (row: DeviceCertificateView) =>
                    row.state === 'revoked'
                      ? []
                      : [{ key: 'revoke', label: t('revoke'), danger: true, onClick: () => setRevoking(row) }],
                }
              : {})}
          />
        </div>
      )}
      {issuing && (
        <IssueDrawer
          device={device}
          onClose={() => setIssuing(false)}
          onIssued={answer => {
            setIssuing(false)
            setMade(answer)
          }}
        />
      )}
      {made && (
        <ShownOnce
          title={t('issued')}
          secrets={[
            { label: t('privateKey'), value: made.privateKey, fileName: `${device.deviceNo}.key` },
            { label: t('certificate'), value: made.pem, fileName: `${device.deviceNo}.pem` },
            { label: t('ca'), value: made.caPem, fileName: 'ca.pem' },
          ]}
          onClose={() => setMade(null)}
        />
      )}
      <Modal
        open={revoking !== null}
        width={420}
        title={t('revokeTitle')}
        okText={t('revoke')}
        cancelText={t('cancel')}
        okButtonProps={{ danger: true, loading: revokeCertificate.pending }}
        onOk={() => void revoke()}
        onCancel={() => setRevoking(null)}
      >
        <p>{t('revokeText')}</p>
      </Modal>
    </Panel>
  )
}

function IssueDrawer({
  device,
  onIssued,
  onClose,
}: {
  device: DeviceView
  onIssued: (answer: Reply<'deviceIdentity.issueCertificate'>) => void
  onClose: () => void
}) {
  const { t } = useTranslation('device-identity')
  const issueCertificate = useAct('deviceIdentity.issueCertificate', { done: onIssued })
  const cas = useRead('deviceCas.list')
  const usable = cas.data?.items.filter(ca => ca.state === 'active' && ca.keyKept && ca.expires !== 'expired') ?? []
  return (
    <FormDrawer
      key={usable.length}
      title={t('issue')}
      intro={<p>{t(cas.data && usable.length === 0 ? 'noUsableCa' : 'issueText')}</p>}
      fields={[
        {
          kind: 'enum',
          key: 'caId',
          label: t('ca'),
          required: true,
          options: usable.map(ca => ({ value: ca.id, label: ca.name })),
          loading: cas.isPending,
        },
        { kind: 'number', integer: true, key: 'days', label: t('days'), required: true, min: 1, max: 3650 },
      ]}
      initial={{ caId: usable[0]?.id ?? null, days: 365 }}
      submitText={t('issue')}
      onClose={onClose}
      onSubmit={async values => {
        const body = { caId: values.caId as string, days: values.days as number }
        await issueCertificate.send({ params: { id: device.id }, body })
      }}
    />
  )
}
