import type { LoraProductView } from '@thingwright/contracts/lora-links.contract'
import { Alert, Button, Modal, Select, Skeleton, Tag } from 'antd'
import { useMemo, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import type { Body } from '../../../lib/api-client.ts'
import { formatNumber } from '../../../lib/format.ts'
import { notify } from '../../../lib/notify.ts'
import { useMay } from '../../../lib/permissions.ts'
import { useAct } from '../../../lib/server-state/use-act.ts'
import { useRead } from '../../../lib/server-state/use-read.ts'
import { CopyId } from '../../../ui/copy-id.tsx'
import { Facts, Panel } from '../../../ui/panel.tsx'
import { PermissionGate } from '../../../ui/permission-gate.tsx'
import type { Field } from '../../../ui/schema-form/field.ts'
import { FormDrawer } from '../../../ui/schema-form/form-drawer.tsx'
import { EmptyState, ErrorState, NoPermissionState } from '../../../ui/states.tsx'
import { type StatusKind, StatusTag } from '../../../ui/status-tag.tsx'
import { LoraImport } from './lora-import.tsx'

const KIND: Record<LoraProductView['connectionState'], StatusKind> = {
  untested: 'never',
  ok: 'success',
  failed: 'error',
  disabled: 'disabled',
}
const REFRESH_MS = 10_000

/** In which application of which ChirpStack the devices of a LoRaWAN product are made, and with which profile. */
export function LoraLink({ productId }: { productId: string }) {
  const { t } = useTranslation('lora-link')
  const allowed = useMay('loraLinks.product')
  const query = useRead(
    'loraLinks.product',
    { params: { id: productId } },
    { enabled: allowed, refetchInterval: REFRESH_MS },
  )
  const [open, setOpen] = useState<'form' | 'clear' | 'import' | null>(null)
  const link = query.data?.link
  const choose = (
    <PermissionGate of="loraLinks.setProduct">
      <Button type={link ? 'default' : 'primary'} onClick={() => setOpen('form')}>
        {t(link ? 'edit' : 'choose')}
      </Button>
    </PermissionGate>
  )
  return (
    <Panel
      title={t('title')}
      hint={t('hint')}
      actions={
        link && (
          <>
            <PermissionGate of="loraLinks.import">
              <Button disabled={link.profileId === null} onClick={() => setOpen('import')}>
                {t('import')}
              </Button>
            </PermissionGate>
            {choose}
            <PermissionGate of="loraLinks.clearProduct">
              <Button danger onClick={() => setOpen('clear')}>
                {t('clear')}
              </Button>
            </PermissionGate>
          </>
        )
      }
    >
      {!allowed ? (
        <NoPermissionState of="loraLinks.product" />
      ) : query.isError && !query.data ? (
        <ErrorState error={query.error} onRetry={() => void query.refetch()} />
      ) : query.isPending ? (
        <Skeleton active paragraph={{ rows: 3 }} />
      ) : !link ? (
        <EmptyState title={t('none')} description={t('noneText')} action={choose} />
      ) : (
        <>
          {link.profileId === null && <Alert type="warning" showIcon title={t('profileGone')} />}
          {link.devices.failed > 0 && (
            <Alert
              type="warning"
              showIcon
              title={t('someFailed', { count: link.devices.failed, many: formatNumber(link.devices.failed) })}
            />
          )}
          <Facts
            items={[
              {
                label: t('connection'),
                value: (
                  <span dir="auto">
                    {link.connectionName} {link.simulated && <Tag>{t('simulated')}</Tag>}
                  </span>
                ),
              },
              {
                label: t('state'),
                value: <StatusTag kind={KIND[link.connectionState]}>{t(`states.${link.connectionState}`)}</StatusTag>,
              },
              {
                label: t('application'),
                value: (
                  <span dir="auto">
                    {link.applicationName} <CopyId value={link.applicationId} />
                  </span>
                ),
              },
              {
                label: t('profile'),
                value: link.profileId ? (
                  <Link to={`/ChirpStack/DeviceProfiles/edit?id=${link.profileId}`}>{link.profileName}</Link>
                ) : (
                  '–'
                ),
              },
              { label: t('macVersion'), value: link.macVersion ?? '–' },
              {
                label: t('devices'),
                value: t('devicesText', {
                  registered: formatNumber(link.devices.registered),
                  failed: formatNumber(link.devices.failed),
                }),
              },
            ]}
          />
        </>
      )}
      {open === 'form' && <LinkForm productId={productId} link={link ?? null} onClose={() => setOpen(null)} />}
      {open === 'clear' && <ClearDialog productId={productId} onClose={() => setOpen(null)} />}
      {open === 'import' && <LoraImport productId={productId} onClose={() => setOpen(null)} />}
    </Panel>
  )
}

function LinkForm({
  productId,
  link,
  onClose,
}: {
  productId: string
  link: LoraProductView | null
  onClose: () => void
}) {
  const { t } = useTranslation('lora-link')
  const connections = useRead('loraConnections.list', {}).data?.items
  const [chosen, setChosen] = useState<string | null>(link?.connectionId ?? null)
  const connectionId = chosen ?? (connections?.length === 1 ? connections[0]!.id : null)
  const applications = useRead(
    'loraLinks.applications',
    { params: { id: connectionId ?? '' } },
    { enabled: connectionId !== null },
  )
  const profiles = useRead(
    'loraProfiles.list',
    { query: { limit: 100, sort: 'name', connectionId: connectionId ?? '' } },
    { enabled: connectionId !== null },
  ).data?.items
  const set = useAct('loraLinks.setProduct', { touches: ['loraLinks'] })
  const fields = useMemo<Field[]>(
    () => [
      {
        key: 'applicationId',
        kind: 'enum',
        label: t('application'),
        required: true,
        options: (applications.data?.items ?? []).map(({ id, name }) => ({ value: id, label: name })),
        loading: applications.isFetching,
        help: applications.isError ? t('applicationsFailed') : t('applicationHelp'),
      },
      {
        key: 'profileId',
        kind: 'enum',
        label: t('profile'),
        required: true,
        options: (profiles ?? []).map(({ id, name, region }) => ({ value: id, label: `${name} · ${region}` })),
        help: t('profileHelp'),
      },
    ],
    [t, applications.data, applications.isFetching, applications.isError, profiles],
  )
  const initial = useMemo(
    () =>
      link?.connectionId === connectionId
        ? { applicationId: link?.applicationId, profileId: link?.profileId ?? undefined }
        : {},
    [link, connectionId],
  )
  return (
    <FormDrawer
      // Application and profile are those of the connection: another one begins anew.
      key={connectionId ?? ''}
      title={t('title')}
      intro={
        <div>
          {t('connection')}
          <Select
            style={{ width: '100%', marginBlock: '4px 16px' }}
            aria-label={t('connection')}
            placeholder={t('connectionHelp')}
            value={connectionId}
            onChange={setChosen}
            options={(connections ?? []).map(({ id, name }) => ({ value: id, label: name }))}
          />
        </div>
      }
      fields={fields}
      initial={initial}
      submitText={t('save')}
      note={t('saveNote')}
      onSubmit={async (values, newer) => {
        await set.send({
          params: { id: productId },
          body: {
            ...values,
            connectionId,
            ...(link ? { version: newer ?? link.version } : {}),
          } as Body<'loraLinks.setProduct'>,
        })
        notify.success(t('saved'))
        onClose()
      }}
      onClose={onClose}
    />
  )
}

function ClearDialog({ productId, onClose }: { productId: string; onClose: () => void }) {
  const { t } = useTranslation('lora-link')
  const clear = useAct('loraLinks.clearProduct', {
    touches: ['loraLinks'],
    done: () => {
      notify.success(t('cleared'))
      onClose()
    },
  })
  return (
    <Modal
      open
      width={420}
      title={t('clearTitle')}
      okText={t('clear')}
      cancelText={t('cancel')}
      okButtonProps={{ danger: true, loading: clear.pending }}
      onOk={() => void clear.run({ params: { id: productId } })}
      onCancel={onClose}
    >
      <p>{t('clearText')}</p>
    </Modal>
  )
}
