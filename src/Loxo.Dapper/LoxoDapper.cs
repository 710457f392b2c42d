using System.Collections;
using System.Net;
using System.Net.NetworkInformation;
using System.Numerics;
using System.Text.Json;
using System.Text.Json.Nodes;
using Dapper;
using Loxo.DapperHandlers;

namespace Loxo;

/// <summary>Makes Dapper send and read PostgreSQL's types.</summary>
public static class LoxoDapper
{
    private static readonly Lock Registering = new();

    /// <summary>
    /// Registers type handlers with Dapper, so that arrays and lists are sent as one array parameter (<c>= ANY(@ids)</c>), and
    /// ranges, JSON, <see cref="DateOnly"/>, <see cref="TimeOnly"/>, network addresses, geometric types and the like are accepted
    /// as parameters and read.
    /// </summary>
    /// <remarks>
    /// Dapper's type handlers are process-wide. Afterwards Dapper no longer expands the registered collections in <c>IN @ids</c>,
    /// on connections of any provider; with Npgsql it never does. A type that already has a handler keeps it, and a handler that is
    /// added later replaces the registered one. It may be called several times and from several threads; Dapper's cache of
    /// generated code, which would go on using the handlers of before, is purged each time.
    /// <para>
    /// Collections: <c>T[]</c>, <see cref="List{T}"/>, <see cref="HashSet{T}"/> and the interfaces that a list implements, where T
    /// is a boolean, a number, a string, a <see cref="Guid"/>, a date or time, <c>byte[]</c> or a <see cref="PgRange{T}"/>, or the
    /// nullable form of one of these value types. <see cref="RegisterArrays{T}"/> adds another element type. <c>byte[]</c> remains
    /// bytea and <c>char[]</c> text.
    /// </para>
    /// </remarks>
    public static void Register()
    {
        lock (Registering)
        {
            AddScalars();
            AddJson();
            AddCollectionsOf<bool>();
            AddCollectionsOf<short>();
            AddCollectionsOf<int>();
            AddCollectionsOf<long>();
            AddCollectionsOf<float>();
            AddCollectionsOf<double>();
            AddCollectionsOf<decimal>();
            AddCollectionsOf<Guid>();
            AddCollectionsOf<DateTime>();
            AddCollectionsOf<DateTimeOffset>();
            AddCollectionsOf<DateOnly>();
            AddCollectionsOf<TimeOnly>();
            AddCollectionsOf<TimeSpan>();
            AddCollections<string>();
            AddCollections<byte[]>();
            AddRange<int>();
            AddRange<long>();
            AddRange<decimal>();
            AddRange<DateTime>();
            AddRange<DateOnly>();
            SqlMapper.PurgeQueryCache();
        }
    }

    /// <summary>
    /// Registers <c>T[]</c>, <see cref="List{T}"/>, <see cref="HashSet{T}"/> and the interfaces that a list implements for another
    /// element type, such as an enum: they are sent as one array parameter, and array columns are read as them.
    /// </summary>
    /// <typeparam name="T">
    /// The element type. Loxo must be able to write it without a declared type; a nullable value type is an element type of its own.
    /// </typeparam>
    /// <remarks>The registration is process-wide. Collections that already have a handler keep it.</remarks>
    public static void RegisterArrays<T>()
    {
        lock (Registering)
        {
            AddCollections<T>();
            SqlMapper.PurgeQueryCache();
        }
    }

    /// <summary>
    /// Sends values of <typeparamref name="T"/> as <c>jsonb</c>, and reads columns of type <c>json</c> and <c>jsonb</c> as it.
    /// </summary>
    /// <typeparam name="T">A type that <see cref="JsonSerializer"/> can write and read.</typeparam>
    /// <param name="options">The serializer's options; null for its defaults.</param>
    /// <remarks>The registration is process-wide and replaces an existing handler for the type.</remarks>
    public static void RegisterJson<T>(JsonSerializerOptions? options = null)
    {
        lock (Registering)
        {
            SqlMapper.AddTypeHandler(typeof(T), new JsonHandler<T>(options));
            SqlMapper.PurgeQueryCache();
        }
    }

    /// <summary>A single parameter that is passed to Loxo as it is, for a value or type that Dapper would change.</summary>
    /// <param name="value">The value; null is NULL.</param>
    /// <param name="type">The parameter's type; <see cref="PgDbType.Unknown"/> to take it from the value.</param>
    /// <returns>An object for a property of Dapper's parameter object, or for <see cref="DynamicParameters"/>.</returns>
    /// <remarks>
    /// A .NET enum is sent as the PostgreSQL enum of its name, where Dapper sends a number. Arrays are sent as arrays without
    /// <see cref="Register"/>.
    /// </remarks>
    public static SqlMapper.ICustomQueryParameter Parameter(object? value, PgDbType type = PgDbType.Unknown) =>
        new SingleParameter(value, type, null);

    /// <summary>A single parameter of the type that <paramref name="dataTypeName"/> names.</summary>
    /// <param name="value">The value; null is NULL.</param>
    /// <param name="dataTypeName">The name of the PostgreSQL type, such as <c>citext</c> or <c>shop.address</c>.</param>
    /// <returns>An object for a property of Dapper's parameter object, or for <see cref="DynamicParameters"/>.</returns>
    /// <exception cref="ArgumentException"><paramref name="dataTypeName"/> is null or empty.</exception>
    public static SqlMapper.ICustomQueryParameter Parameter(object? value, string dataTypeName)
    {
        ArgumentException.ThrowIfNullOrEmpty(dataTypeName);
        return new SingleParameter(value, PgDbType.Unknown, dataTypeName);
    }

    private static void AddScalars()
    {
        AddScalar<DateOnly>();
        AddScalar<TimeOnly>();
        AddScalar<BigInteger>();
        AddScalar<BitArray>();
        AddScalar<Dictionary<string, string?>>();
        AddScalar<IPAddress>();
        AddScalar<IPNetwork>();
        AddScalar<PhysicalAddress>();
        AddScalar<PgPoint>();
        AddScalar<PgLine>();
        AddScalar<PgLSeg>();
        AddScalar<PgBox>();
        AddScalar<PgPath>();
        AddScalar<PgPolygon>();
        AddScalar<PgCircle>();
        AddScalar<PgTsVector>();
        AddScalar<PgTsQuery>();
    }

    private static void AddJson()
    {
        Add(typeof(JsonDocument), new JsonHandler<JsonDocument>(null));
        Add(typeof(JsonElement), new JsonHandler<JsonElement>(null));
        Add(typeof(JsonNode), new JsonHandler<JsonNode>(null));
        Add(typeof(JsonObject), new JsonHandler<JsonObject>(null));
        Add(typeof(JsonArray), new JsonHandler<JsonArray>(null));
    }

    private static void AddScalar<T>() => Add(typeof(T), new ScalarHandler<T>());

    private static void AddRange<T>()
        where T : struct
    {
        AddScalar<PgRange<T>>();
        AddCollections<PgRange<T>>();
    }

    private static void AddCollectionsOf<T>()
        where T : struct
    {
        AddCollections<T>();
        AddCollections<T?>();
    }

    private static void AddCollections<T>()
    {
        var handler = new CollectionHandler<T>();
        Add(typeof(T[]), handler);
        Add(typeof(List<T>), handler);
        Add(typeof(IList<T>), handler);
        Add(typeof(ICollection<T>), handler);
        Add(typeof(IEnumerable<T>), handler);
        Add(typeof(IReadOnlyList<T>), handler);
        Add(typeof(IReadOnlyCollection<T>), handler);
        Add(typeof(HashSet<T>), handler);
    }

    private static void Add(Type type, SqlMapper.ITypeHandler handler)
    {
        if (!SqlMapper.HasTypeHandler(type))
            SqlMapper.AddTypeHandler(type, handler);
    }
}
