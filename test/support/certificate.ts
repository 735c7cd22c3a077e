/** A certificate and its private key, both as PEM. */
export interface Certificate {
  readonly cert: string
  readonly key: string
}

const hour = 3_600_000

/** A self-signed certificate, by default for 127.0.0.1 and from an hour ago to an hour from now. */
export async function certificate({ address = '127.0.0.1', hours = [-1, 1] } = {}): Promise<Certificate> {
  const x509 = await library()
  const keys = await newKeys()
  const made = await x509.X509CertificateGenerator.createSelfSigned({
    serialNumber: '01',
    name: 'CN=test',
    ...validity(hours),
    signingAlgorithm: algorithm,
    keys,
    extensions: [
      new x509.BasicConstraintsExtension(true),
      new x509.SubjectAlternativeNameExtension([{ type: 'ip', value: address }]),
    ],
  })
  return { cert: made.toString('pem'), key: await pemOf(keys) }
}

/** A certificate for 127.0.0.1 that an authority issued, without that authority. */
export async function issuedCertificate(): Promise<Certificate> {
  const x509 = await library()
  const [authority, own] = await Promise.all([newKeys(), newKeys()])
  const made = await x509.X509CertificateGenerator.create({
    serialNumber: '02',
    subject: 'CN=leaf',
    issuer: 'CN=authority',
    ...validity([-1, 1]),
    signingAlgorithm: algorithm,
    signingKey: authority.privateKey,
    publicKey: own.publicKey,
    extensions: [
      new x509.BasicConstraintsExtension(false),
      new x509.SubjectAlternativeNameExtension([{ type: 'ip', value: '127.0.0.1' }]),
    ],
  })
  return { cert: made.toString('pem'), key: await pemOf(own) }
}

const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' }

async function library() {
  await import('reflect-metadata')
  return import('@peculiar/x509')
}

function newKeys() {
  return crypto.subtle.generateKey(algorithm, true, ['sign', 'verify'])
}

function validity([from = 0, until = 0]: readonly number[]) {
  return { notBefore: new Date(Date.now() + from * hour), notAfter: new Date(Date.now() + until * hour) }
}

async function pemOf({ privateKey }: Awaited<ReturnType<typeof newKeys>>): Promise<string> {
  const { PemConverter } = await library()
  return PemConverter.encode(await crypto.subtle.exportKey('pkcs8', privateKey), 'PRIVATE KEY')
}
