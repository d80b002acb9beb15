import { QRCode } from 'antd'

/** Always dark on white: cameras want it so, in both appearances. */
export function QrCode({ value }: { value: string }) {
  return <QRCode value={value} size={168} color="#000000" bgColor="#ffffff" bordered={false} type="svg" />
}
