import type { DeviceView } from '@thingwright/contracts/devices.contract'
import type { TFunction } from 'i18next'
import { Link } from 'react-router'
import { formatDateTime } from '../../../lib/format.ts'
import type { ListColumn } from '../../../ui/list-page/list-types.ts'
import { NameCell } from '../../../ui/list-page/name-cell.tsx'
import { ThingIcon } from '../../../ui/thing-icon.tsx'
import { TimeText } from '../../../ui/time-text.tsx'
import { deviceAddress, productAddress } from '../addresses.ts'
import css from '../devices.module.css'
import { AlarmState, LifecycleTag, LinkTag } from './device-state.tsx'

type T = TFunction<'devices'>
type Column = ListColumn<DeviceView>

const name = (t: T, linked: boolean): Column => ({
  key: 'name',
  title: t('name'),
  minWidth: 208,
  required: true,
  sortKey: 'name',
  render: device => (
    <NameCell
      name={device.name}
      id={device.deviceNo}
      icon={<ThingIcon svg={device.productIcon} size={28} />}
      {...(linked ? { to: deviceAddress(device.id) } : {})}
    />
  ),
  csv: device => device.name,
})

const number = (t: T): Column => ({
  key: 'deviceNo',
  title: t('deviceNo'),
  width: 160,
  initiallyHidden: true,
  render: device => (
    <span className={css.mono} title={device.deviceNo}>
      {device.deviceNo}
    </span>
  ),
  csv: device => device.deviceNo,
})

const product = (t: T): Column => ({
  key: 'product',
  title: t('product'),
  width: 136,
  rank: 4,
  render: device => (
    <Link className={css.plainLink} to={productAddress(device.productId)} title={device.productName} dir="auto">
      {device.productName}
    </Link>
  ),
  csv: device => device.productName,
})

const firmware = (t: T): Column => ({
  key: 'firmware',
  title: t('firmwareVersion'),
  width: 104,
  rank: 0,
  render: device => (
    <span className={css.mono} title={device.firmware ?? ''}>
      {device.firmware ?? '–'}
    </span>
  ),
  csv: device => device.firmware,
})

const ofProduct = (
  key: 'category' | 'linkType' | 'nodeType',
  title: string,
  words: (device: DeviceView) => string,
) => ({
  key,
  title,
  width: 120,
  initiallyHidden: true,
  render: (device: DeviceView) => <span title={words(device)}>{words(device)}</span>,
  csv: words,
})

const owner = (t: T): Column => ({
  key: 'owner',
  title: t('owner'),
  width: 120,
  rank: 1,
  initiallyHidden: true,
  render: device => <span title={device.owner?.name ?? ''}>{device.owner?.name ?? '–'}</span>,
  csv: device => device.owner?.name ?? '',
})

const group = (t: T): Column => ({
  key: 'group',
  title: t('group'),
  width: 120,
  rank: 2,
  render: device => <span title={device.groupName ?? ''}>{device.groupName ?? '–'}</span>,
  csv: device => device.groupName,
})

const tags = (t: T): Column => ({
  key: 'tags',
  title: t('tags'),
  width: 136,
  rank: 1,
  render: device =>
    device.tags.length === 0 ? (
      '–'
    ) : (
      <span className={css.tags} title={device.tags.join(', ')}>
        {device.tags.map(tag => (
          <span key={tag} className={css.tag}>
            {tag}
          </span>
        ))}
      </span>
    ),
  csv: device => device.tags.join(' '),
})

const time = (
  key: 'lastSeenAt' | 'createdAt' | 'recycledAt',
  title: string,
  sortable: boolean,
  hidden = false,
): Column => ({
  key,
  title,
  width: 140,
  ...(sortable ? { sortKey: key } : {}),
  ...(hidden ? { initiallyHidden: true } : {}),
  render: device => <TimeText value={device[key]} />,
  csv: device => (device[key] ? formatDateTime(device[key]) : ''),
})

/** Columns of the fleet: three states side by side, never one. */
export function deviceColumns(t: T): Column[] {
  return [
    name(t, true),
    number(t),
    {
      key: 'link',
      title: t('linkState'),
      width: 152,
      render: device => <LinkTag device={device} />,
      csv: device => t(`link.${device.link}`),
    },
    {
      key: 'lifecycle',
      title: t('lifecycleState'),
      width: 104,
      rank: 3,
      render: device => <LifecycleTag lifecycle={device.lifecycle} />,
      csv: device => t(`lifecycle.${device.lifecycle}`),
    },
    {
      key: 'alarm',
      title: t('alarm'),
      width: 84,
      render: device => <AlarmState level={device.alarmLevel} />,
      csv: device => device.alarmLevel,
    },
    product(t),
    time('lastSeenAt', t('lastSeenAt'), true),
    firmware(t),
    owner(t),
    group(t),
    tags(t),
    time('createdAt', t('createdAt'), true, true),
    ofProduct('category', t('category'), device => device.category || '–'),
    ofProduct('linkType', t('linkType'), device => t(`linkTypes.${device.linkType}`)),
    ofProduct('nodeType', t('nodeType'), device => t(`nodeTypes.${device.nodeType}`)),
    {
      key: 'address',
      title: t('address'),
      width: 180,
      initiallyHidden: true,
      render: device => <span title={device.location?.address ?? ''}>{device.location?.address ?? '–'}</span>,
      csv: device => device.location?.address,
    },
    {
      key: 'description',
      title: t('description'),
      width: 180,
      initiallyHidden: true,
      render: device => <span title={device.description}>{device.description || '–'}</span>,
      csv: device => device.description,
    },
  ]
}

export function recycledColumns(t: T): Column[] {
  return [name(t, false), number(t), product(t), time('recycledAt', t('recycledAt'), false), tags(t)]
}
