/** A self-signed certificate for 127.0.0.1, valid for an hour, with its private key; both as PEM. */
export async function certificate(): Promise<{ cert: string; key: string }> {
  await import('reflect-metadata')
  const x509 = await import('@peculiar/x509')
  const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' }
  const keys = await crypto.subtle.generateKey(algorithm, true, ['sign', 'verify'])
  const made = await x509.X509CertificateGenerator.createSelfSigned({
    serialNumber: '01',
    name: 'CN=test',
    notBefore: new Date(Date.now() - 3_600_000),
    notAfter: new Date(Date.now() + 3_600_000),
    signingAlgorithm: algorithm,
    keys,
    extensions: [
      new x509.BasicConstraintsExtension(true),
      new x509.SubjectAlternativeNameExtension([{ type: 'ip', value: '127.0.0.1' }]),
    ],
  })
  const key = x509.PemConverter.encode(await crypto.subtle.exportKey('pkcs8', keys.privateKey), 'PRIVATE KEY')
  return { cert: made.toString('pem'), key }
}

/** A certificate for 127.0.0.1 that an authority issued, without that authority, with its private key; both as PEM. */
export async function issuedCertificate(): Promise<{ cert: string; key: string }> {
  await import('reflect-metadata')
  const x509 = await import('@peculiar/x509')
  const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' }
  const [authority, own] = await Promise.all([
    crypto.subtle.generateKey(algorithm, true, ['sign', 'verify']),
    crypto.subtle.generateKey(algorithm, true, ['sign', 'verify']),
  ])
  const made = await x509.X509CertificateGenerator.create({
    serialNumber: '02',
    subject: 'CN=leaf',
    issuer: 'CN=authority',
    notBefore: new Date(Date.now() - 3_600_000),
    notAfter: new Date(Date.now() + 3_600_000),
    signingAlgorithm: algorithm,
    signingKey: authority.privateKey,
    publicKey: own.publicKey,
    extensions: [
      new x509.BasicConstraintsExtension(false),
      new x509.SubjectAlternativeNameExtension([{ type: 'ip', value: '127.0.0.1' }]),
    ],
  })
  const key = x509.PemConverter.encode(await crypto.subtle.exportKey('pkcs8', own.privateKey), 'PRIVATE KEY')
  return { cert: made.toString('pem'), key }
}
