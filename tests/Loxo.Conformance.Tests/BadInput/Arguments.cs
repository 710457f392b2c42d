using System.Collections;
using System.Data;
using System.Data.Common;
using System.Globalization;
using System.Linq.Expressions;
using System.Net;
using System.Net.NetworkInformation;
using System.Numerics;
using System.Reflection;
using System.Text;
using System.Text.Json;
using System.Text.Json.Serialization.Metadata;
using Microsoft.Data.Sqlite;

namespace Loxo.Conformance.BadInput;

/// <summary>What a parameter is given: something sensible, or something that is null, of the wrong kind, or out of range.</summary>
internal static class Arguments
{
    private static readonly Dictionary<string, object> _byName = new(StringComparer.OrdinalIgnoreCase)
    {
        ["connectionString"] = TestServer.Default.ConnectionString,
        ["databaseName"] = "postgres",
        ["collectionName"] = "Tables",
        ["cmdText"] = "SELECT 1",
        ["commandText"] = "SELECT 1",
        ["selectCommandText"] = "SELECT 1",
        ["selectConnectionString"] = TestServer.Default.ConnectionString,
        ["name"] = "x",
        ["dataTypeName"] = "integer",
        ["keyword"] = "Host",
        ["length"] = 1,
        ["year"] = 2024,
        ["month"] = 2,
        ["day"] = 29,
        ["position"] = 1,
        ["netmask"] = (byte)32,
        ["xmax"] = 5ul,
    };

    // The first is good, the others are bad.
    private static readonly Dictionary<Type, Func<object?[]>> _byType = new()
    {
        [typeof(string)] = () => ["a", null, "", "\0", "\ud800", "no such name", new string('x', 5000), "'\";--"],
        [typeof(object)] = () => [5, null, DBNull.Value, new object(), "text", double.NaN],
        [typeof(bool)] = () => [true, false],
        [typeof(char)] = () => ['a', '\0', '\ud800'],
        [typeof(byte)] = () => [(byte)1, byte.MaxValue],
        [typeof(sbyte)] = () => [(sbyte)1, sbyte.MinValue, sbyte.MaxValue],
        [typeof(short)] = () => [(short)1, (short)-1, short.MinValue, short.MaxValue],
        [typeof(ushort)] = () => [(ushort)1, ushort.MaxValue],
        [typeof(int)] = () => [0, -1, int.MinValue, 7, int.MaxValue],
        [typeof(uint)] = () => [1u, uint.MaxValue],
        [typeof(long)] = () => [0L, -1L, long.MinValue, long.MaxValue],
        [typeof(ulong)] = () => [1ul, ulong.MaxValue],
        [typeof(float)] = () => [1f, float.NaN, float.PositiveInfinity],
        [typeof(double)] = () => [1d, double.NaN, double.PositiveInfinity, -0d, double.MaxValue],
        [typeof(decimal)] = () => [1m, decimal.MinValue, decimal.MaxValue],
        [typeof(BigInteger)] = () => [BigInteger.One, BigInteger.Pow(10, 400), BigInteger.MinusOne],
        [typeof(IsolationLevel)] = () => [IsolationLevel.ReadCommitted, IsolationLevel.Chaos, (IsolationLevel)15],
        [typeof(Guid)] = () => [Guid.Empty],
        [typeof(DateTime)] = () => [new DateTime(2024, 2, 29), DateTime.MinValue, DateTime.MaxValue, DateTime.UtcNow],
        [typeof(DateTimeOffset)] = () => [DateTimeOffset.UnixEpoch, DateTimeOffset.MinValue, DateTimeOffset.MaxValue],
        [typeof(DateOnly)] = () => [new DateOnly(2024, 2, 29), DateOnly.MinValue, DateOnly.MaxValue],
        [typeof(TimeOnly)] = () => [TimeOnly.MinValue, TimeOnly.MaxValue],
        [typeof(TimeSpan)] = () => [TimeSpan.FromSeconds(5), TimeSpan.MinValue, TimeSpan.MaxValue, TimeSpan.FromTicks(-1)],
        [typeof(ReplicationSlotOptions)] = () => [new ReplicationSlotOptions("a"), default(ReplicationSlotOptions)],
        [typeof(CancellationToken)] = () => [CancellationToken.None, new CancellationToken(true)],
        [typeof(Type)] = () => [typeof(int), null, typeof(void), typeof(List<>), typeof(int).MakeByRefType(), typeof(Span<int>)],
        [typeof(Array)] = () => [new object[9], null, new int[0], new int[2, 2]],
        [typeof(BitArray)] = () => [new BitArray(3), null, new BitArray(0)],
        [typeof(IPAddress)] = () => [IPAddress.Loopback, null, IPAddress.IPv6Any],
        [typeof(IPNetwork)] = () => [IPNetwork.Parse("10.0.0.0/8"), default(IPNetwork)],
        [typeof(PhysicalAddress)] = () => [PhysicalAddress.Parse("08-00-2B-01-02-03"), null, PhysicalAddress.None],
        [typeof(CultureInfo)] = () => [CultureInfo.InvariantCulture, null],
        [typeof(IFormatProvider)] = () => [CultureInfo.InvariantCulture, null],
        [typeof(StringBuilder)] = () => [new StringBuilder(), null],
        [typeof(Encoding)] = () => [Encoding.UTF8, null],
        [typeof(JsonSerializerOptions)] = () => [JsonSerializerOptions.Default, null],
        [typeof(JsonReaderOptions)] = () => [default(JsonReaderOptions)],
        [typeof(JsonTypeInfo<int>)] = () => [JsonTypeInfo(), null],
        [typeof(DataTable)] = () => [new DataTable(), null],
        [typeof(DataRow)] = () => [Row(), null],
        [typeof(IDbCommand)] = () => [new PgCommand("SELECT 1"), null, new SqliteCommand()],
        [typeof(System.Data.Common.DataTableMapping)] = () => [new System.Data.Common.DataTableMapping("a", "b"), null],
        [typeof(DbConnection)] = () => [new PgConnection(), null, new SqliteConnection()],
        [typeof(DbCommand)] = () => [new PgCommand("SELECT 1"), null, new SqliteCommand()],
        [typeof(DbBatchCommand)] = () => [new PgBatchCommand("SELECT 1"), null],
        [typeof(DbParameter)] = () => [new PgParameter("z", 1), null, new SqliteParameter()],
        [typeof(DbDataAdapter)] = () => [new PgDataAdapter(), null],
        [typeof(PgConnection)] = () => [Subjects.Source.CreateConnection(), null, new PgConnection(), Disposed(Subjects.Source.CreateConnection())],
        [typeof(PgCommand)] = () => [new PgCommand("SELECT 1", Subjects.Source.CreateConnection()), null, new PgCommand(), Disposed(new PgCommand("SELECT 1"))],
        [typeof(PgBatchCommand)] = () => [new PgBatchCommand("SELECT 1"), null],
        [typeof(PgParameter)] = () => [new PgParameter("z", 1), null, Taken()],
        [typeof(PgParameterCollection)] = () => [new PgCommand().Parameters, null],
        [typeof(PgTransaction)] = () => [null],
        [typeof(PgDataAdapter)] = () => [new PgDataAdapter(), null],
        [typeof(IPgNameTranslator)] = () => [new PgSnakeCaseNameTranslator(), null],
        [typeof(PgTsQuery)] = () => [PgTsQuery.Parse("a & b"), null],
        [typeof(PgTsQueryLexeme)] = () => [new PgTsQueryLexeme("a"), null],
        [typeof(PgTsVectorLexeme)] = () => [new PgTsVectorLexeme("a"), default(PgTsVectorLexeme)],
        [typeof(PgTsVector)] = () => [PgTsVector.Parse("a b"), null],
        [typeof(PgSnapshot)] = () => [PgSnapshot.Parse("1:2:"), null],
        [typeof(PgPath)] = () => [new PgPath(new PgPoint(1, 2)), default(PgPath)],
        [typeof(PgPolygon)] = () => [new PgPolygon(new PgPoint(1, 2)), default(PgPolygon)],
        [typeof(PgCube)] = () => [new PgCube(1, 2), default(PgCube)],
        [typeof(PgRange<int>)] = () => [new PgRange<int>(1, 5), default(PgRange<int>)],
        [typeof(PgFactory)] = () => [PgFactory.Instance, null],
    };

    public static bool HasGood(ParameterInfo parameter) => parameter.ParameterType is { IsByRefLike: false } && Values(parameter).Length > 0;

    public static object? Good(ParameterInfo parameter) => Values(parameter)[0];

    public static IEnumerable<object?> Bad(ParameterInfo parameter) => Values(parameter).Skip(1);

    private static object?[] Values(ParameterInfo parameter)
    {
        var type = parameter.ParameterType.IsByRef ? parameter.ParameterType.GetElementType()! : parameter.ParameterType;
        var values = Values(type);
        return _byName.TryGetValue(parameter.Name ?? "", out var good) && type.IsInstanceOfType(good) ? [good, .. values] : values;
    }

    private static object?[] Values(Type type)
    {
        if (_byType.TryGetValue(type, out var values))
            return values();
        if (Nullable.GetUnderlyingType(type) is { } inner)
            return [.. Values(inner), null];
        if (type.IsEnum)
            return [Enum.GetValues(type).GetValue(0), Enum.ToObject(type, 9999 & byte.MaxValue), Enum.ToObject(type, 99)];
        if (type.IsArray)
            return Lists(type.GetElementType()!);
        if (type.IsGenericType && type.IsAssignableFrom(typeof(List<>).MakeGenericType(type.GetGenericArguments()[0])))
            return Lists(type.GetGenericArguments()[0]);
        if (typeof(Delegate).IsAssignableFrom(type))
            return [Nothing(type), null];
        return type.IsValueType ? [Activator.CreateInstance(type)] : [null];
    }

    private static object?[] Lists(Type element)
    {
        var good = Array.CreateInstance(element, 1);
        good.SetValue(Values(element)[0], 0);
        return [good, null, Array.CreateInstance(element, 0), Array.CreateInstance(element, 1)];
    }

    // A delegate that does nothing, and returns the default, or a completed task.
    private static Delegate? Nothing(Type type)
    {
        var invoke = type.GetMethod("Invoke");
        return invoke is null || invoke.GetParameters().Any(one => one.ParameterType.IsByRefLike) ? null : Expression.Lambda(
            type, Result(invoke.ReturnType), invoke.GetParameters().Select(one => Expression.Parameter(one.ParameterType))).Compile();
    }

    private static Expression Result(Type type) => !typeof(Task).IsAssignableFrom(type) ? Expression.Default(type)
        : type == typeof(Task) ? Expression.Constant(Task.CompletedTask, type)
        : Expression.Call(typeof(Task), nameof(Task.FromResult), type.GetGenericArguments(), Expression.Default(type.GetGenericArguments()[0]));

    private static JsonTypeInfo<int> JsonTypeInfo() => (JsonTypeInfo<int>)JsonSerializerOptions.Default.GetTypeInfo(typeof(int));

    private static DataRow Row()
    {
        var table = new DataTable();
        table.Columns.Add("x", typeof(int));
        return table.Rows.Add(1);
    }

    private static PgParameter Taken() => new PgCommand().Parameters.AddWithValue("taken", 1);

    private static T Disposed<T>(T instance)
        where T : IDisposable
    {
        instance.Dispose();
        return instance;
    }
}
