using System.Reflection;
using Loxo.Pool;
using Loxo.Pooling;

namespace Loxo.IntegrationTests.Pool;

/// <summary>The rental of an open connection.</summary>
internal static class Rented
{
    public static Rental<PooledSession> By(PgConnection connection) =>
        (Rental<PooledSession>)typeof(PgConnection).GetField("_rental", BindingFlags.NonPublic | BindingFlags.Instance)!.GetValue(connection)!;
}
