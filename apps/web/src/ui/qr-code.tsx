import { QRCode } from 'antd'

/** A QR code, dark on light in both appearances: cameras do not read the other way round. */
export function QrCode({ value, label, size = 168 }: { value: string; label: string; size?: number }) {
  return (
    <span role="img" aria-label={label} data-testid="qr-code">
      <QRCode value={value} size={size} type="svg" color="#000000" bgColor="#ffffff" />
    </span>
  )
}
