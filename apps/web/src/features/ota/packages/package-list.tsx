import { SafetyCertificateOutlined, UploadOutlined } from '@ant-design/icons'
import type { FirmwarePackageView } from '@thingwright/contracts/firmware.contract'
import { Button } from 'antd'
import { lazy, Suspense, useCallback, useMemo, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useNavigate, useSearchParams } from 'react-router'
import { download } from '../../../lib/api-client.ts'
import { locale } from '../../../lib/i18n.ts'
import { useMay } from '../../../lib/permissions.ts'
import { useWork } from '../../../lib/server-state/use-work.ts'
import { ListPage } from '../../../ui/list-page/list-page.tsx'
import type { ListFilter, RowAction } from '../../../ui/list-page/list-types.ts'
import { useAskedCreate } from '../../../ui/list-page/use-asked-create.ts'
import { useListState } from '../../../ui/list-page/use-list-state.ts'
import { PermissionGate } from '../../../ui/permission-gate.tsx'
import { newCampaignAddress } from '../addresses.ts'
import { useWithParam } from '../components/use-with-param.ts'
import { fetchPackages, packagesLive, useProducts } from '../hooks.ts'
import type { ListTabs } from '../list-tabs.ts'
import { PACKAGE_KINDS, PACKAGE_STATES } from '../words.ts'
import { packageColumns } from './package-columns.tsx'
import type { PackageQuestion } from './package-dialogs.tsx'

const UploadDrawer = lazy(async () => ({ default: (await import('./upload-drawer.tsx')).UploadDrawer }))
const PackageDrawer = lazy(async () => ({ default: (await import('./package-drawer.tsx')).PackageDrawer }))
const EditPackageDrawer = lazy(async () => ({ default: (await import('./edit-drawer.tsx')).EditPackageDrawer }))
const PackageDialog = lazy(async () => ({ default: (await import('./package-dialogs.tsx')).PackageDialog }))
const SettingsDrawer = lazy(async () => ({ default: (await import('./settings-drawer.tsx')).SettingsDrawer }))

type Open =
  | { kind: 'upload' | 'settings' }
  | { kind: 'edit'; of: FirmwarePackageView }
  | { kind: 'ask'; question: PackageQuestion; of: FirmwarePackageView }

const keyOf = (row: FirmwarePackageView) => row.id

/** Firmware files of all products: what they are for, whether they were tried, and what to do with them. */
export function PackageList({ tabs }: { tabs: ListTabs }) {
  const { t } = useTranslation('ota')
  const navigate = useNavigate()
  const [params, setParams] = useSearchParams()
  const [open, setOpen] = useState<Open | null>(null)
  const mayWrite = useMay('firmware.upload')
  const mayDeploy = useMay('firmware.verify')
  useAskedCreate(mayWrite, () => setOpen({ kind: 'upload' }))
  const products = useProducts()
  const filters = useMemo<ListFilter[]>(
    () => [
      {
        key: 'productId',
        label: t('product'),
        open: true,
        options: products.choices,
        onSearch: products.setQ,
        loading: products.loading,
        display: () => '…',
      },
      {
        key: 'state',
        label: t('state'),
        options: PACKAGE_STATES.map(value => ({ value, label: t(`packageState.${value}`) })),
      },
      {
        key: 'kind',
        label: t('kind'),
        options: PACKAGE_KINDS.map(value => ({ value, label: t(`packageKind.${value}`) })),
      },
      { key: 'module', label: t('module') },
    ],
    [t, products.choices, products.setQ, products.loading],
  )
  const state = useListState(filters)
  const withPackage = useWithParam('package')
  const hrefOf = useCallback((row: FirmwarePackageView) => withPackage(row.id), [withPackage])
  const columns = useMemo(() => packageColumns(t, hrefOf), [t, hrefOf])
  const { attempt } = useWork()
  const rowActions = useCallback(
    (row: FirmwarePackageView): RowAction[] => {
      const ask = (question: PackageQuestion, danger = false): RowAction => ({
        key: question,
        label: t(`package.${question}.action`),
        danger,
        onClick: () => setOpen({ kind: 'ask', question, of: row }),
      })
      const disabled = row.state === 'disabled'
      return [
        ...(mayDeploy && !disabled
          ? [
              {
                key: 'deploy',
                label: t('deploy'),
                to: newCampaignAddress({ package: row.id }),
                ...(row.state === 'verification_failed' ? { disabled: true, title: t('deployFailed') } : {}),
              },
              ask('verify'),
            ]
          : [{ key: 'detail', label: t('detail'), to: hrefOf(row) }]),
        ...(mayDeploy && !disabled ? [ask('conclude')] : []),
        ...(mayWrite
          ? [{ key: 'edit', label: t('edit'), onClick: () => setOpen({ kind: 'edit' as const, of: row }) }]
          : []),
        {
          key: 'file',
          label: t('downloadFile'),
          onClick: () => void attempt(() => download('firmware.file', row.fileName, { params: { id: row.id } })),
        },
        ...(mayWrite
          ? [
              disabled ? ask('enable') : ask('disable', true),
              row.campaigns > 0
                ? { ...ask('remove', true), disabled: true, title: t('removeUsed', { count: row.campaigns }) }
                : ask('remove', true),
            ]
          : []),
      ]
    },
    [t, mayWrite, mayDeploy, hrefOf, attempt],
  )
  const shown = params.get('package') ?? ''
  const close = () => setOpen(null)
  const closeDetail = () =>
    setParams(
      before => {
        const next = new URLSearchParams(before)
        next.delete('package')
        return next
      },
      { preventScrollReset: true },
    )
  const upload = (
    <PermissionGate of="firmware.upload">
      <Button type="primary" icon={<UploadOutlined aria-hidden />} onClick={() => setOpen({ kind: 'upload' })}>
        {t('upload.action')}
      </Button>
    </PermissionGate>
  )
  return (
    <>
      <ListPage
        id="firmware-packages"
        operation="firmware.list"
        fetchPage={fetchPackages}
        refreshMs={packagesLive}
        rowKey={keyOf}
        rowHref={hrefOf}
        columns={columns}
        filters={filters}
        state={state}
        searchPlaceholder={t('searchPackages')}
        title={t('title')}
        description={t('lead')}
        tabs={tabs}
        actions={
          <>
            <Button icon={<SafetyCertificateOutlined aria-hidden />} onClick={() => setOpen({ kind: 'settings' })}>
              {t('settings.action')}
            </Button>
            {upload}
          </>
        }
        rowActions={rowActions}
        actionsWidth={locale() === 'en' ? 208 : 144}
        empty={{ title: t('noPackages'), description: t('noPackagesText'), action: upload }}
        exportName="firmware-packages"
      />
      <Suspense>
        {shown !== '' && (
          <PackageDrawer
            key={shown}
            id={shown}
            onAsk={(question, of) => setOpen({ kind: 'ask', question, of })}
            onClose={closeDetail}
          />
        )}
        {open?.kind === 'upload' && (
          <UploadDrawer
            productId={state.filters.productId ?? null}
            onClose={close}
            onNext={(next, made) => {
              close()
              if (next === 'verify') setOpen({ kind: 'ask', question: 'verify', of: made })
              else void navigate(newCampaignAddress({ package: made.id }))
            }}
          />
        )}
        {open?.kind === 'settings' && <SettingsDrawer productId={state.filters.productId ?? null} onClose={close} />}
        {open?.kind === 'edit' && <EditPackageDrawer of={open.of} onClose={close} />}
        {open?.kind === 'ask' && <PackageDialog question={open.question} of={open.of} onClose={close} />}
      </Suspense>
    </>
  )
}
