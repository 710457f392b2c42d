using System.Linq.Expressions;
using System.Reflection;
using Loxo.Copy;

namespace Loxo;

/// <summary>
/// The columns of objects that are copied: a name and a function for each. Without reflection, so it suits native compilation; the other
/// way is <see cref="OfMembers"/>, which takes the public properties and fields of <typeparamref name="T"/>.
/// </summary>
/// <typeparam name="T">The type of a row.</typeparam>
public sealed class PgBulkCopyColumns<T>
{
    private static PgBulkCopyColumns<T>? _ofMembers;

    private readonly List<string> _names = [];
    private readonly List<BulkMember<T>> _members = [];

    internal IReadOnlyList<string> Names => _names;

    internal BulkMember<T> this[int ordinal] => _members[ordinal];

    /// <summary>
    /// The public properties that can be read, and the public fields, of <typeparamref name="T"/>; under the name of their
    /// <see cref="PgNameAttribute"/>, or else under their own. Their code is compiled once for each type.
    /// </summary>
    public static PgBulkCopyColumns<T> OfMembers() => _ofMembers ??= Compile();

    /// <summary>Adds a column.</summary>
    /// <typeparam name="TValue">The type of its values.</typeparam>
    /// <param name="name">Its name: that of a column of the table, or one that ColumnMappings names.</param>
    /// <param name="value">Takes the value of a row.</param>
    /// <returns>This object.</returns>
    /// <exception cref="ArgumentException">The name is empty.</exception>
    public PgBulkCopyColumns<T> Add<TValue>(string name, Func<T, TValue> value)
    {
        ArgumentException.ThrowIfNullOrEmpty(name);
        ArgumentNullException.ThrowIfNull(value);
        return Add(name, new BulkMember<T, TValue>(value));
    }

    private PgBulkCopyColumns<T> Add(string name, BulkMember<T> member)
    {
        _names.Add(name);
        _members.Add(member);
        return this;
    }

    [UnconditionalSuppressMessage("Trimming", "IL2090", Justification = "PgBulkCopy and PgDataSource keep the public members of T.")]
    private static PgBulkCopyColumns<T> Compile()
    {
        var columns = new PgBulkCopyColumns<T>();
        foreach (var member in typeof(T).GetMembers(BindingFlags.Public | BindingFlags.Instance))
        {
            if (IsValue(member))
                columns.Add(member.GetCustomAttribute<PgNameAttribute>()?.PgName ?? member.Name, Compile(member));
        }
        return columns;
    }

    private static bool IsValue(MemberInfo member) => member is FieldInfo
        || (member is PropertyInfo { GetMethod.IsPublic: true } property && property.GetIndexParameters().Length == 0);

    private static BulkMember<T> Compile(MemberInfo member)
    {
        var row = Expression.Parameter(typeof(T));
        Expression value = Expression.MakeMemberAccess(row, member);
        if (!RuntimeFeature.IsDynamicCodeSupported)
        {
            var boxed = Expression.Convert(value, typeof(object));
            return new BulkMember<T, object?>(Expression.Lambda<Func<T, object?>>(boxed, row).Compile());
        }
        var getter = Expression.Lambda(typeof(Func<,>).MakeGenericType(typeof(T), value.Type), value, row).Compile();
        return (BulkMember<T>)Activator.CreateInstance(typeof(BulkMember<,>).MakeGenericType(typeof(T), value.Type), getter)!;
    }
}

/// <summary>A column of values that lie together in an array or list.</summary>
public abstract class PgBulkCopyColumn
{
    private protected PgBulkCopyColumn(string name, int count) => (Name, Count) = (name, count);

    /// <summary>The column's name.</summary>
    public string Name { get; }

    /// <summary>The number of values.</summary>
    public int Count { get; }

    /// <summary>Makes a column.</summary>
    /// <typeparam name="T">The type of the values; null stands for NULL.</typeparam>
    /// <param name="name">That of a column of the table, or one that ColumnMappings names.</param>
    /// <param name="values">The values of all rows. They are not copied.</param>
    /// <exception cref="ArgumentException">The name is empty.</exception>
    public static PgBulkCopyColumn Of<T>(string name, ReadOnlyMemory<T> values)
    {
        ArgumentException.ThrowIfNullOrEmpty(name);
        return new OfMemory<T>(name, values);
    }

    /// <inheritdoc cref="Of{T}(string, ReadOnlyMemory{T})"/>
    public static PgBulkCopyColumn Of<T>(string name, T[] values) => Of(name, new ReadOnlyMemory<T>(values));

    internal abstract void Write(ImportWriter writer, int row);

    internal static int CountOf(IReadOnlyList<PgBulkCopyColumn> columns)
    {
        ArgumentNullException.ThrowIfNull(columns);
        if (columns.Contains(null!))
            throw new ArgumentException("A column is null.", nameof(columns));
        foreach (var column in columns)
        {
            if (column.Count != columns[0].Count)
                throw BulkErrors.UnequalColumns(columns[0].Name, columns[0].Count, column.Name, column.Count);
        }
        return columns.Count == 0 ? 0 : columns[0].Count;
    }

    private sealed class OfMemory<T>(string name, ReadOnlyMemory<T> values) : PgBulkCopyColumn(name, values.Length)
    {
        internal override void Write(ImportWriter writer, int row) => writer.Write(values.Span[row]);
    }
}
