namespace Loxo.Protocol.Authentication;
internal sealed class ScramSha256(string p, SaslMechanism m) { object x => (p, m); public byte[] ClientFirst()=>[]; public byte[] ClientFinal(ReadOnlySpan<byte> s)=>[]; public void VerifyServerFinal(ReadOnlySpan<byte> s){} }
internal sealed class SaslMechanism { public string Name=>""; public static SaslMechanism Choose(List<string> o, object? c, bool t, ChannelBinding b)=>new(); }
internal static class Md5Password { public static string Response(string u,string p,ReadOnlySpan<byte> s)=>""; }
