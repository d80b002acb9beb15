import type { MapCell } from '@thingwright/contracts/device-map.contract'
import { Alert, Button, Drawer, Empty } from 'antd'
import { startTransition, useCallback, useDeferredValue, useEffect, useMemo, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Link, useSearchParams } from 'react-router'
import { every } from '../../../lib/every.ts'
import { formatNumber } from '../../../lib/format.ts'
import { useMay } from '../../../lib/permissions.ts'
import { type Ask, settled, useRead } from '../../../lib/server-state/use-read.ts'
import { GeoMap, type MapMarker, MapPin } from '../../../ui/map/geo-map.tsx'
import type { Province } from '../../../ui/map/outlines.ts'
import { type Box, type MapView, MIN_SPAN, type Place, partOf } from '../../../ui/map/projection.ts'
import { PageHeader } from '../../../ui/page-header.tsx'
import { ErrorState, NoPermissionState } from '../../../ui/states.tsx'
import { StatusTag } from '../../../ui/status-tag.tsx'
import { useThingModel } from '../hooks.ts'
import { isChartable, isStepped } from '../live/control-kind.ts'
import { boundsOf } from './bounds.ts'
import { BoxPanel } from './box-panel.tsx'
import css from './device-map.module.css'
import { DevicePopup } from './device-popup.tsx'
import { FenceLayer } from './fences/fence-layer.tsx'
import { FencePanel } from './fences/fence-panel.tsx'
import { boundsOfShape, drawn, undone } from './fences/shape.ts'
import { useFences } from './fences/use-fences.ts'
import { HeatLayer, HeatLegend } from './heat-layer.tsx'
import { MapFilters } from './map-filters.tsx'
import { Mark } from './map-mark.tsx'
import { placeOnTrack } from './track.ts'
import { TrackLine } from './track-line.tsx'
import { type ShownTrack, TrackPlayer } from './track-player.tsx'
import { PROPERTY, useHeat } from './use-heat.ts'

/** China, as the window shows it first. */
const HOME: MapView = { lng: 104, lat: 36, span: 70 }
/** What is seen around a place that one goes to, degrees. */
const NEAR_SPAN = 2
/** A cluster's mark is about so wide, px: cells of that size do not overlap. */
const CELL_PX = 56
const REREAD_MS = 10_000
const SETTLED_MS = 150
const LEAST_HEIGHT = 360

/** Every device that has a place, on a map of outlines: near ones as one mark, each coloured by its state. */
export function DeviceMapPage() {
  const { t } = useTranslation('device-map')
  const allowed = useMay('deviceMap.cells')
  const [search, setSearch] = useSearchParams()
  const frame = useRef<HTMLDivElement>(null)
  const height = useRest(frame)
  const [home, setHome] = useState(HOME)
  const [seen, setSeen] = useState<{ view: MapView; width: number } | null>(null)
  const [open, setOpen] = useState<MapCell | null>(null)
  const [boxing, setBoxing] = useState(false)
  const [box, setBox] = useState<Box | null>(null)
  const [tracked, setTracked] = useState<NonNullable<MapCell['device']> | null>(null)
  const [track, setTrack] = useState<ShownTrack | null>(null)
  const [listed, setListed] = useState(false)
  const filters = useMemo(
    () =>
      Object.fromEntries(
        (['q', 'productId', 'groupId', 'userId', 'link', 'alarmLevel'] as const).flatMap(key => {
          const value = search.get(key)
          return value ? [[key, value]] : []
        }),
      ),
    [search],
  )
  const set = useCallback(
    (key: string, value: string | null | undefined) =>
      setSearch(
        now => {
          const next = new URLSearchParams(now)
          if (value) next.set(key, value)
          else next.delete(key)
          return next
        },
        { replace: true },
      ),
    [setSearch],
  )
  const asked = useMemo(() => {
    if (!seen) return null
    const { view, width } = seen
    const digits = (value: number) => Number(value.toFixed(5))
    const { west, south, east, north } = partOf(view, width, height)
    return {
      west: digits(west),
      south: digits(south),
      east: digits(east),
      north: digits(north),
      cell: Math.min(90, Math.max(0.000_01, digits((view.span / width) * CELL_PX))),
    }
  }, [seen, height])
  // The first question waits for nothing; those of a person who moves on do.
  const answered = useRef(false)
  const through = useCallback(
    <R,>(ask: Ask<R>): Ask<R> =>
      context =>
        (answered.current ? settled(SETTLED_MS)(ask) : ask)(context),
    [],
  )
  const read = useRead(
    'deviceMap.cells',
    { query: { ...filters, ...(asked ?? { west: -180, south: -85, east: 180, north: 85, cell: 5 }) } },
    { enabled: allowed && asked !== null, keep: true, refetchInterval: every(REREAD_MS), through },
  )
  const fencing = search.has('fences') || search.has('fence')
  const fences = useFences(fencing)
  const looked = fences.read.data?.items.find(({ id }) => id === search.get('fence'))?.shape
  useEffect(() => {
    if (looked) setHome(viewOf(boundsOfShape(looked)))
  }, [looked])
  const showProvince = useCallback((province: Province) => setHome(viewOf(boundsOf(province.rings.flat()))), [])
  const showPlace = useCallback((place: Place) => setHome({ ...place, span: NEAR_SPAN }), [])
  const look = useCallback((view: MapView, width: number) => {
    // The map has drawn the view by then; what it asks for must not hold its next frame up.
    if (answered.current) startTransition(() => setSeen({ view, width }))
    else setSeen({ view, width })
  }, [])
  const data = read.data
  useEffect(() => {
    answered.current = data !== undefined
  }, [data])
  const mayValues = useMay('telemetry.latestOfMany')
  const { model } = useThingModel(mayValues ? filters.productId : undefined)
  const measured = useMemo(
    () => (model?.properties ?? []).filter(property => isChartable(property) && !isStepped(property)),
    [model],
  )
  const by = search.get('heat') ?? ''
  const coloured = by.startsWith(PROPERTY) && !(mayValues && filters.productId) ? '' : by
  const heat = useHeat(tracked ? '' : coloured, data?.items)
  const heatUnit = measured.find(({ identifier }) => `${PROPERTY}${identifier}` === coloured)?.unit ?? ''
  const way = track?.points
  useEffect(() => {
    if (way) setHome(viewOf(boundsOf(way)))
  }, [way])
  const press = useCallback((cell: MapCell) => {
    if (cell.device || isOnePlace(cell)) {
      setBox(null)
      setOpen(cell)
    } else setHome(viewOf(cell))
  }, [])
  // Marks of a later answer are made in pieces between frames, so that a drag goes on meanwhile; the first are made at once.
  const cells = useDeferredValue(data?.items) ?? data?.items
  const markers = useMemo<MapMarker[]>(
    () =>
      (cells ?? []).map(cell => ({
        key: cell.device?.id ?? `${cell.lng}/${cell.lat}/${cell.count}`,
        place: cell,
        content: <Mark cell={cell} t={t} onPress={press} />,
      })),
    [cells, t, press],
  )
  // A device in the popup goes on changing on the map.
  const opened = open?.device ? (data?.items.find(cell => cell.device?.id === open.device?.id) ?? open) : open
  if (!allowed) return <NoPermissionState of="deviceMap.cells" />
  const singles = (data?.items ?? []).filter(cell => cell.device !== null)
  return (
    <>
      <PageHeader
        title={t('title')}
        actions={
          <>
            <Button aria-pressed={boxing} {...(boxing ? { type: 'primary' } : {})} onClick={() => setBoxing(!boxing)}>
              {t('boxSelect')}
            </Button>
            {fences.mayRead && (
              <Button aria-pressed={fencing} onClick={() => set('fences', '1')}>
                {t('fence.title')}
              </Button>
            )}
            <Button onClick={() => setHome({ ...HOME })}>{t('whole')}</Button>
            <Button onClick={() => setListed(true)} disabled={!data}>
              {t('list', { count: data?.count ?? 0 })}
            </Button>
          </>
        }
      />
      <MapFilters
        filters={filters}
        set={set}
        coloured={coloured}
        measured={measured}
        mayValues={mayValues}
        onProvince={showProvince}
        onPlace={showPlace}
      />
      {read.isError && !data && <ErrorState error={read.error} onRetry={() => void read.refetch()} />}
      {data?.truncated && <Alert type="info" showIcon title={t('truncated')} />}
      <div ref={frame} className={css.frame}>
        <GeoMap
          home={home}
          markers={
            track ? [{ key: 'tracked', place: placeOnTrack(track.points, track.now), content: <MapPin /> }] : markers
          }
          overlay={pixel => (
            <>
              {fencing && (
                <FenceLayer
                  fences={(fences.read.data?.items ?? []).filter(({ id }) => id !== fences.draft?.fence?.id)}
                  drawing={fences.draft?.drawing ?? null}
                  colour={fences.draft?.colour ?? ''}
                  pixel={pixel}
                />
              )}
              {heat.state === 'shown' && <HeatLayer spots={heat.spots} pixel={pixel} />}
              {track && <TrackLine track={track} pixel={pixel} />}
            </>
          )}
          height={height}
          label={t('mapLabel')}
          onView={look}
          boxing={boxing}
          onBoxingEnd={() => setBoxing(false)}
          onDraw={fences.draft ? press => fences.changeDrawing(drawing => drawn(drawing, press)) : undefined}
          onDrawKey={key => {
            if (key === 'Backspace') fences.changeDrawing(undone)
            else if (key === 'Escape') fences.cancel()
            else fences.save()
          }}
          onBox={drawn => {
            setBoxing(false)
            setOpen(null)
            setBox(drawn)
          }}
        />
        <p className={boxing ? css.hint : css.hidden} aria-live="polite">
          {boxing ? t('boxHint') : ''}
        </p>
        {heat.state !== 'off' && <HeatLegend heat={heat} unit={heatUnit} />}
        {tracked && (
          <TrackPlayer key={tracked.id} device={tracked} onShow={setTrack} onClose={() => setTracked(null)} />
        )}
        {data && data.located === 0 && !tracked && (
          <div className={css.nothing}>
            <Empty description={t(data.unlocated > 0 ? 'noPlaces' : 'noDevices')} />
          </div>
        )}
        <p className={css.foot} aria-live="polite">
          {data ? t('counts', { shown: formatNumber(data.count), located: formatNumber(data.located) }) : ' '}
          {data && data.unlocated > 0 && <Link to="/manage/device">{t('unlocated', { count: data.unlocated })}</Link>}
        </p>
      </div>
      {opened && (
        <DevicePopup
          key={opened.device?.id ?? ''}
          cell={opened}
          filters={filters}
          onTrack={device => {
            setOpen(null)
            setTracked(device)
          }}
          onClose={() => setOpen(null)}
        />
      )}
      {fencing && fences.mayRead && (
        <FencePanel
          fences={fences}
          middle={seen?.view ?? HOME}
          onShow={fence => setHome(viewOf(boundsOfShape(fence.shape)))}
          onClose={() => {
            set('fence', null)
            set('fences', null)
          }}
        />
      )}
      {box && <BoxPanel key={JSON.stringify(box)} box={box} filters={filters} onClose={() => setBox(null)} />}
      {listed && (
        <Drawer open title={t('listTitle')} size={420} onClose={() => setListed(false)}>
          {singles.length < (data?.count ?? 0) && <p className={css.muted}>{t('closer')}</p>}
          <ul className={css.rows}>
            {singles.map(cell => (
              <li key={cell.device!.id}>
                <Button
                  type="link"
                  onClick={() => {
                    setListed(false)
                    setHome({ lng: cell.lng, lat: cell.lat, span: NEAR_SPAN })
                    setOpen(cell)
                  }}
                >
                  {cell.device!.name}
                </Button>
                <StatusTag kind={cell.device!.link}>{t(`links.${cell.device!.link}`)}</StatusTag>
              </li>
            ))}
          </ul>
        </Drawer>
      )}
    </>
  )
}

/** Coming closer does not part them. */
const isOnePlace = ({ west, south, east, north }: MapCell) => Math.max(east - west, north - south) < 0.001

/** The view in which a cluster falls apart. */
function viewOf({ west, south, east, north }: Box): MapView {
  return {
    lng: (west + east) / 2,
    lat: (south + north) / 2,
    span: Math.max(MIN_SPAN, Math.max(east - west, (north - south) * 2) * 1.4),
  }
}

/** Pixels that are left of the window below an element. */
function useRest(frame: React.RefObject<HTMLDivElement | null>): number {
  const [rest, setRest] = useState(LEAST_HEIGHT)
  useEffect(() => {
    const measure = () => {
      const top = frame.current?.getBoundingClientRect().top ?? 0
      setRest(Math.max(LEAST_HEIGHT, Math.round(window.innerHeight - top - 56)))
    }
    measure()
    window.addEventListener('resize', measure)
    return () => window.removeEventListener('resize', measure)
  }, [frame])
  return rest
}
