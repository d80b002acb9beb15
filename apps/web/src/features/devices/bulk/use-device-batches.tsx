import type { BatchTarget } from '@thingwright/contracts/command-batches.contract'
import type { DeviceView } from '@thingwright/contracts/devices.contract'
import { lazy, type ReactNode, Suspense, useCallback, useMemo, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useNavigate } from 'react-router'
import type { Operation } from '../../../lib/api-client.ts'
import { notify } from '../../../lib/notify.ts'
import type { AllRows, BatchAction } from '../../../ui/list-page/list-types.ts'
import { newFirmwareCampaign, OFFER_TO_COMPANY } from '../addresses.ts'
import { BatchCommand } from '../commands/batch-command.tsx'
import type { BatchAsk, BatchKind } from './batch-dialog.tsx'

const BatchDialog = lazy(async () => ({ default: (await import('./batch-dialog.tsx')).BatchDialog }))
const LabelSheet = lazy(async () => ({ default: (await import('./label-sheet.tsx')).LabelSheet }))
const CompareDrawer = lazy(async () => ({ default: (await import('./compare-drawer.tsx')).CompareDrawer }))

type Open =
  | { kind: 'batch'; ask: BatchAsk }
  | { kind: 'labels' | 'compare'; devices: DeviceView[] }
  | { kind: 'command'; target: BatchTarget; count: number; productId: string | null }

/** More lines could not be told apart. */
const COMPARED = 8
/** What one batch of chosen devices may name. */
const MAX_CHOSEN = 10_000

/**
 * What can be done with many devices at once, on every page that lets them be chosen.
 * @param recycled the devices are in the recycle bin
 * @param onChanged a batch has ended
 * @returns the actions, and the dialogs that they open, to be drawn somewhere on the page
 */
export function useDeviceBatches(
  recycled: boolean,
  onChanged: () => void,
): { actions: BatchAction<DeviceView>[]; dialogs: ReactNode } {
  const { t } = useTranslation('devices')
  const { t: tb } = useTranslation('bulk')
  const navigate = useNavigate()
  const [open, setOpen] = useState<Open | null>(null)
  const close = useCallback(() => setOpen(null), [])
  const actions = useMemo<BatchAction<DeviceView>[]>(() => {
    const targetOf = (devices: DeviceView[], all?: AllRows) => {
      const filter = {
        ...all?.filters,
        ...(all?.q ? { q: all.q } : {}),
        ...(recycled ? { lifecycle: 'recycled' } : {}),
      }
      return {
        target: all
          ? ({ filter } as BatchAsk['target'])
          : { ids: devices.slice(0, MAX_CHOSEN).map(device => device.id) },
        count: all?.count ?? Math.min(devices.length, MAX_CHOSEN),
      }
    }
    const begin = (kind: BatchKind) => (devices: DeviceView[], all?: AllRows) =>
      setOpen({
        kind: 'batch',
        ask: { kind, ...targetOf(devices, all), tags: [...new Set(devices.flatMap(device => device.tags))] },
      })
    const action = (kind: BatchKind, of: Operation, danger = false) => ({
      key: kind,
      label: tb(`action.${kind}`),
      of,
      danger,
      onClick: begin(kind),
    })
    return recycled
      ? [action('restore', 'devices.restore'), action('purge', 'devices.remove', true)]
      : [
          {
            key: 'command',
            label: t('sendCommand'),
            of: 'commandBatches.create' as const,
            onClick: (devices, all) => {
              const products = new Set(devices.map(device => device.productId))
              const [only] = products
              setOpen({
                kind: 'command',
                target: all
                  ? ({ all: true, ...all.filters, ...(all.q ? { q: all.q } : {}) } as BatchTarget)
                  : { deviceIds: devices.map(device => device.id) },
                count: all?.count ?? devices.length,
                productId: all ? (all.filters.productId ?? null) : products.size === 1 ? (only ?? null) : null,
              })
            },
          },
          action('move', 'deviceBatches.create'),
          {
            key: 'firmware',
            label: tb('action.firmware'),
            of: 'otaCampaigns.create' as const,
            onClick: (devices, all) => {
              const products = new Set(devices.map(device => device.productId))
              const [only] = products
              if (all && all.count > devices.length) notify.warning(tb('firmwareChosen', { count: devices.length }))
              void navigate(newFirmwareCampaign(products.size === 1 ? only : undefined), {
                state: { deviceIds: devices.slice(0, MAX_CHOSEN).map(device => device.id) },
              })
            },
          },
          action('enable', 'deviceBatches.create'),
          action('disable', 'deviceBatches.create'),
          action('tags', 'deviceBatches.create'),
          action('offlineDelay', 'deviceBatches.create'),
          action('product', 'deviceBatches.create'),
          {
            key: 'company',
            label: tb('action.company'),
            of: 'companyTransfers.create' as const,
            onClick: (devices, all) => void navigate(OFFER_TO_COMPANY, { state: targetOf(devices, all) }),
          },
          {
            key: 'labels',
            label: tb('action.labels'),
            onClick: devices => setOpen({ kind: 'labels', devices }),
          },
          {
            key: 'compare',
            label: tb('action.compare'),
            of: 'telemetry.series' as const,
            onClick: devices => setOpen({ kind: 'compare', devices: devices.slice(0, COMPARED) }),
          },
          action('recycle', 'devices.remove', true),
        ]
  }, [t, tb, recycled, navigate])
  const dialogs = (
    <Suspense>
      {open?.kind === 'batch' && <BatchDialog ask={open.ask} onChanged={onChanged} onClose={close} />}
      {open?.kind === 'command' && (
        <BatchCommand target={open.target} count={open.count} productId={open.productId} onClose={close} />
      )}
      {open?.kind === 'labels' && <LabelSheet devices={open.devices} onClose={close} />}
      {open?.kind === 'compare' && <CompareDrawer devices={open.devices} onClose={close} />}
    </Suspense>
  )
  return { actions, dialogs }
}
