using System.Collections.Frozen;

namespace Loxo.Session;

/// <summary>The functions of a database that attribute notation (<c>x.f</c>) reaches and that may leave something in the session.</summary>
/// <param name="Names">Their names beside those of the built-in functions; null for none, and where nobody has asked the database.</param>
/// <param name="Version">Changes whenever what is known of the database does.</param>
internal readonly record struct ReachableFunctions(FrozenSet<string>? Names, int Version);
